"""Writes bbob_reference.txt: values of the 24 BBOB functions as COCO's own Python package computes them.

    pip install coco-experiment==2.8.2
    python bbob_reference.py > bbob_reference.txt

A line is `function dimension instance`, then the least value, then seven values, then the coordinates of the minimiser.
The seven values are taken at the minimiser, close to it, at four points of the box [-5, 5] and at one of [-8, 8]. The
points come from a linear congruential generator that the test repeats exactly, so only the values need storing.
"""

import cocoex

DIMENSIONS = (2, 3, 5, 10, 20, 40)
INSTANCES = (1, 2, 3, 4, 5)


def stream(function, dimension, instance):
    """Uniform numbers in [0, 1): 32-bit states, exact in a double."""
    state = function * 1000003 + dimension * 10007 + instance * 101
    while True:
        state = (1664525 * state + 1013904223) % 2**32
        yield state / 2**32


def line(function, dimension, instance):
    problem = cocoex.BareProblem("bbob", function, dimension, instance)
    best = [float(coordinate) for coordinate in problem.best_parameter()]
    uniform = stream(function, dimension, instance)
    points = [best, [b + 0.02 * (next(uniform) - 0.5) for b in best]]
    for half in (5.0, 5.0, 5.0, 5.0, 8.0):
        points.append([half * (2.0 * next(uniform) - 1.0) for _ in range(dimension)])
    values = [float(problem.best_value())] + [float(problem(point)) for point in points]
    words = [function, dimension, instance] + [repr(number) for number in values + best]
    return " ".join(str(word) for word in words)


def main():
    print("# coco-experiment", cocoex.__version__, "bbob: function dimension instance, least value, 7 values, minimiser")
    for function in range(1, 25):
        for dimension in DIMENSIONS:
            for instance in INSTANCES:
                print(line(function, dimension, instance))


main()
