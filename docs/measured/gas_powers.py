"""Whether a model that knows the form of gas-transmission's functions, sums of products of powers, knows more of them.

    python gas_powers.py FIRST_SEED SEEDS

200 points as a search by drawn functions with pooled scales chooses them (gas_transmission.py), observed anew with noise: what was
learnt is then not mixed with what was chosen. To these are fitted the Gaussian processes of that search, and sums of
`a0 + Σ_k a_k Π_i x_i^p_ki` whose factors and powers are unknown, by least squares under weak priors from six random starts.
Printed are the mean and the deviation, over the seeds, of what each says beside the optimum: the limit, whose noise is 0.3, and by
how many hundredths of the optimum the objective changes from there along a coordinate, the limit kept.

NumPy and SciPy; about 15 s a seed.
"""

import sys

import numpy as np
from gas_transmission import HIGH, LOW, NOISE, OPTIMUM, Process, Scales, place, search, truth, views
from scipy.optimize import least_squares

# The spread of the powers, and of the factors in deviations of the values, before anything was observed.
POWERS, FACTORS = 1.0, 10.0
MIDDLE = np.log(LOW * HIGH) / 2


def on_the_limit(x1, x3, x4):
    x = np.array([x1, np.sqrt(1 + x4), x3, x4])
    unit = (x - LOW) / (HIGH - LOW)
    logs = np.log(x / LOW) / np.log(HIGH / LOW)
    return np.array([unit[0], logs[1], unit[2], logs[3]])


PLACES = {
    "x3 = 20": on_the_limit(50, 20, 0.388353),
    "x3 = 30": on_the_limit(50, 30, 0.388353),
    "x1 = 35": on_the_limit(35, 24.59261, 0.388353),
    "x4 = 0.15": on_the_limit(50, 24.59261, 0.15),
    "x4 = 0.7": on_the_limit(50, 24.59261, 0.7),
}
ASKED = np.array([on_the_limit(50, 24.59261, 0.388353), *PLACES.values()])


def by_process(known, output, points, values, rng):
    return Process(points, *views(values)[output], *known[output]).expected(ASKED)


def by_powers(sizes, output, points, values, rng):
    terms = sizes[output]
    inputs, asked = (np.log(place(unit)) - MIDDLE for unit in (points, ASKED))
    noise, spread = NOISE[output], FACTORS * values[output].std()
    products = lambda powers, at: np.c_[np.ones(len(at)), np.exp(np.clip(at @ powers.reshape(terms, 4).T, -30, 30))]

    def factors(powers):
        weighted = np.r_[products(powers, inputs) / noise, np.eye(terms + 1) / spread]
        wanted = np.r_[values[output] / noise, np.zeros(terms + 1)]
        found = np.linalg.lstsq(weighted, wanted, rcond=None)[0]
        return found, weighted @ found - wanted

    misses = lambda powers: np.r_[factors(powers)[1], powers / POWERS]
    starts = 0.7 * rng.normal(size=(6, 4 * terms))
    fits = [least_squares(misses, powers, method="lm", max_nfev=60 * (4 * terms + 1)) for powers in starts]
    powers = min(fits, key=lambda fit: fit.cost).x
    return products(powers, asked) @ factors(powers)[0]


def main():
    first, seeds = map(int, sys.argv[1:])
    scales = Scales("pooled")
    models = {
        "processes": (by_process, scales.known),
        "powers, 4 and 2 terms": (by_powers, (4, 2)),
        "powers, 5 and 3 terms": (by_powers, (5, 3)),
    }
    said = {name: [] for name in models}
    for seed in range(first, first + seeds):
        points, rng = search("thompson", scales, None, 1, seed), np.random.default_rng([seed, 1])
        values = truth(points) + NOISE[:, None] * rng.normal(size=(2, len(points)))
        for name, (model, settings) in models.items():
            costs, limits = (model(settings, output, points, values, rng) for output in range(2))
            said[name].append([limits[0], *(100 * (costs[1:] - costs[0]) / OPTIMUM)])
    cost, limit = truth(ASKED)
    print("truth:", *(f"{name} {value:.2f} %;" for name, value in zip(PLACES, 100 * (cost[1:] - cost[0]) / OPTIMUM)), f"limit {limit[0]:.3f}")
    for name, rows in said.items():
        mean, deviation = np.mean(rows, axis=0), np.std(rows, axis=0)
        along = zip(PLACES, mean[1:], deviation[1:])
        print(f"{name}:", *(f"{place} {m:.2f} ± {d:.2f} %;" for place, m, d in along), f"limit {mean[0]:.3f} ± {deviation[0]:.3f}")


if __name__ == "__main__":
    main()
