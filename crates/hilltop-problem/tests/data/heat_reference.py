"""Reference temperatures of the heat problems: a sine series, and finite differences, both with SciPy.

python3 heat_reference.py prints, for every problem, the largest interior value of grids of 249 x 249 and 999 x 999
points, values at some points by the series and by extrapolated differences, and the hottest place of the hull of the
smaller grid. The numbers stored in tests/physics.rs are of SciPy 1.17.1 and NumPy 2.4.6.
"""

import numpy as np
from scipy.fft import dst, idst
from scipy.optimize import minimize_scalar

L = 2 * np.pi
sin, cos, exp, sqrt = np.sin, np.cos, np.exp, np.sqrt

# Temperatures at x = 0, x = 2 pi, y = 0, y = 2 pi.
EDGES = {
    1: (
        lambda y: 5 * sin(y) + sqrt(1 + y),
        lambda y: y * sin(3 * cos(y) + 2 * exp(y) * sin(y)),
        lambda x: 10 * cos(x) + x * exp(sqrt(x * x + sin(x))),
        lambda x: 3 * sqrt(exp(x * exp(-x))) * sin(x) + cos(3 * x) ** 2,
    ),
    2: (
        lambda y: sqrt(2 * y) * sin(y) + y**3 * cos(2 * y) + exp(cos(y)),
        lambda y: sqrt(2) * y**3.5 + exp(sin(y)) + sin(y) * cos(2 * y),
        lambda x: sqrt(3) * x**2.5 + exp(sin(x)) + sin(x) * cos(2 * x),
        lambda x: sqrt(3 * x) * exp(sin(x)) + x * x * sin(x) ** 2 * cos(x) + exp(cos(x)),
    ),
    3: (
        lambda y: (y**3 + cos(2 * y)) * (sqrt(2 * y) + sin(y)) + exp(cos(y)),
        lambda y: (sqrt(2 * y) + y**3) * (sin(y) + cos(2 * y)) + exp(sin(y)),
        lambda x: sqrt(3 * x) * (sin(x) + cos(2 * x)) + x * x + exp(sin(x)),
        lambda x: (x * x + sin(x) ** 2) * exp(cos(x)) + (sqrt(3 * x) + exp(sin(x))) * cos(x),
    ),
}


def differences(which, n):
    """The five-point solution at n x n inner points."""
    t = L / (n + 1) * np.arange(1, n + 1)
    left, right, bottom, top = EDGES[which]
    f = np.zeros((n, n))
    f[0, :] += left(t)
    f[-1, :] += right(t)
    f[:, 0] += bottom(t)
    f[:, -1] += top(t)
    lam = 2 - 2 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))
    g = dst(dst(f, type=1, axis=0), type=1, axis=1) / (lam[:, None] + lam[None, :])
    return t, idst(idst(g, type=1, axis=0), type=1, axis=1)


def coefficients(edge, samples=1 << 17):
    t = L * np.arange(1, samples) / samples
    n = np.arange(1, samples)
    a, b = edge(0.0), edge(L)
    rest = edge(t) - (a + (b - a) * t / L)
    return dst(rest, type=1) / samples + 2 / (n * np.pi) * (a - (-1.0) ** n * b)


SERIES = {which: [coefficients(edge) for edge in EDGES[which]] for which in EDGES}


def temperature(which, x, y, terms=20000):
    n = np.arange(1, terms + 1)
    total = 0.0
    for b, (along, away) in zip(SERIES[which], ((y, x), (y, L - x), (x, y), (x, L - y))):
        decay = np.exp(-n * away / 2) * (1 - np.exp(-n * (L - away))) / (1 - np.exp(-2 * np.pi * n))
        total += np.sum(b[:terms] * np.sin(n * along / 2) * decay)
    return total


def hottest(which, h):
    found = []
    for edge in (h, L - h):
        for along in (lambda u, e=edge: temperature(which, e, u), lambda u, e=edge: temperature(which, u, e)):
            grid = np.linspace(h, L - h, 801)
            k = int(np.argmax([along(u) for u in grid]))
            bounds = (grid[max(k - 1, 0)], grid[min(k + 1, 800)])
            best = minimize_scalar(lambda u: -along(u), bounds=bounds, method="bounded", options={"xatol": 1e-13})
            found.append((-best.fun, edge, best.x))
    return max(found)


if __name__ == "__main__":
    h = L / 250
    for which in EDGES:
        for n in (249, 999):
            t, u = differences(which, n)
            i, j = np.unravel_index(u.argmax(), u.shape)
            print(f"heat-{which}, {n} x {n}: {u.max()} at {t[i]}, {t[j]}")
        _, coarse = differences(which, 499)
        _, fine = differences(which, 999)
        for i, j in ((125, 125), (10, 200), (240, 9), (125, 5), (249, 249)):
            a, b = coarse[2 * i - 1, 2 * j - 1], fine[4 * i - 1, 4 * j - 1]
            print(i, j, temperature(which, i * h, j * h), "differences", b + (b - a) / 3)
        print("hottest place of the hull:", *hottest(which, h))
