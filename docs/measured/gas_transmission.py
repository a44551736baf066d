"""What a search can reach on gas-transmission with noise if it knows more than any search does.

    python gas_transmission.py {thompson,improvement} {told,fitted} FIRST_SEED SEEDS [--known {limit,cost}] [--draws N]

Gaussian processes with the squared-exponential kernel see `x2` and `x4` in the logarithms in which the functions are tame. `told` gives
them the noise and input scales fitted to 300 values without noise, half of them around the optimum; `fitted` lets them fit their own
to what they observe. 40 random points, then 160 by the best point of one function drawn from each process
(`thompson`), or by the expected improvement, over 64 such pairs or as many as `--draws` says, on the best of the points evaluated
(`improvement`), which is what is scored: the best true objective among points that break the limit by at most 1e-4 of its deviation.
`--known` lets the search see one of the two functions as it is, so that only the other holds it up.

NumPy and SciPy; about 20 s a seed.
"""

import argparse

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

LOW, HIGH = np.array([20, 1, 20, 0.1]), np.array([50, 10, 50, 60.0])
LOGARITHMIC = [1, 3]
OPTIMUM = 2964895.4
FIRST, BUDGET, WAVES = 40, 200, 400


def place(unit):
    x = LOW + (HIGH - LOW) * unit
    x[:, LOGARITHMIC] = (LOW * (HIGH / LOW) ** unit)[:, LOGARITHMIC]
    return x


def truth(unit):
    x1, x2, x3, x4 = place(unit).T
    cost = 8.61e5 * np.sqrt(x1) * x2 * x3 ** (-2 / 3) * x4**-0.5 + 3.69e4 * x3 + 7.72e8 * x2**0.219 / x1 - 765.43e6 / x1
    return np.array([cost, (x4 + 1) / x2**2 - 1])


def deviations():
    uniform = LOW + (HIGH - LOW) * np.random.default_rng(0).random((100_000, 4))
    logs = np.log(uniform / LOW) / np.log(HIGH / LOW)
    straight = (uniform - LOW) / (HIGH - LOW)
    straight[:, LOGARITHMIC] = logs[:, LOGARITHMIC]
    return truth(straight).std(axis=1)


DEVIATIONS = deviations()
NOISE = 0.05 * DEVIATIONS


def views(values):
    """The values as the processes see them, and each one's share of the noise's variance: high costs and far limits compressed."""
    first = np.sort(values[0, :15])
    span = first[7] - first[0]
    excess = np.maximum((values[0] - first[7]) / span, 0)
    cost = np.where(excess > 0, first[7] + span * np.log1p(excess), values[0])
    size = np.sort(abs(values[1, :15]))[7]
    return [(cost, 1 / (1 + excess) ** 2), (size * np.arcsinh(values[1] / size), 1 / (1 + (values[1] / size) ** 2))]


def kernel(a, b, scales):
    a, b = a * scales, b * scales
    return np.exp(-0.5 * np.maximum((a**2).sum(1)[:, None] + (b**2).sum(1)[None] - 2 * a @ b.T, 0))


def fit(points, values, shares, start):
    """Logarithms of scales, signal and noise of greatest posterior density, in units of the values' deviation."""
    standard = (values - values.mean()) / values.std()

    def cost(logs):
        covariance = np.exp(logs[4]) * (kernel(points, points, np.exp(logs[:4])) + 1e-7 * np.eye(len(values)))
        try:
            root = np.linalg.cholesky(covariance + np.diag(np.exp(logs[5]) * shares))
        except np.linalg.LinAlgError:
            return 1e9
        white = np.linalg.solve(root, standard)
        prior = (logs[:4] ** 2).sum() / 1.5**2 + logs[4] ** 2 / 4 + ((logs[5] - np.log(3e-3)) / 1.5) ** 2
        return 0.5 * white @ white + np.log(np.diag(root)).sum() + 0.5 * prior

    return minimize(cost, start, method="L-BFGS-B", options={"maxiter": 40}).x


class Process:
    def __init__(self, points, values, shares, scales, signal, noise):
        self.points, self.scales, self.signal, self.noise = points, scales, signal, noise * shares
        self.mean, self.values = values.mean(), values - values.mean()
        covariance = signal * (kernel(points, points, scales) + 1e-8 * np.eye(len(values)))
        self.factor = cho_factor(covariance + np.diag(self.noise), lower=True)

    def draw(self, count, rng):
        """Functions as probable as any: waves of the kernel's spectrum, and what the observations change in them."""
        waves, phases = rng.normal(size=(WAVES, 4)) * self.scales, rng.uniform(0, 2 * np.pi, WAVES)
        heights = rng.normal(size=(WAVES, count)) * np.sqrt(2 * self.signal / WAVES)
        prior = lambda at: np.cos(at @ waves.T + phases) @ heights
        seen = prior(self.points) + np.sqrt(self.noise)[:, None] * rng.normal(size=(len(self.values), count))
        weights = cho_solve(self.factor, self.values[:, None] - seen)
        return lambda at: self.mean + prior(at) + self.signal * kernel(at, self.points, self.scales) @ weights


def start():
    return np.array([0, 0, 0, 0, 0, np.log(3e-3)])


def told():
    """What no search knows: scales and signal from values without noise, and the noise itself."""
    rng = np.random.default_rng(5)
    near = np.array([1, 0.07, 0.15, 0.21]) + rng.normal(size=(150, 4)) * np.array([0.3, 0.05, 0.3, 0.1])
    points = np.r_[rng.random((150, 4)), np.clip(near, 0, 1)]
    known = []
    for (values, _), noise in zip(views(truth(points)), NOISE):
        logs = fit(points, values, np.ones(300), start())
        known.append((np.exp(logs[:4]), np.exp(logs[4]) * values.var(), noise**2))
    return known


def best_of(merit, leaders, rng):
    """The point of greatest merit among random ones, others around the leaders, and ever closer ones around the best."""
    around = np.repeat(leaders, 1500 // len(leaders), axis=0)
    steps = rng.normal(size=around.shape) * np.exp(rng.uniform(-5, 0, (len(around), 1))) * (rng.random(around.shape) < 0.7)
    points, best = np.r_[rng.random((1500, 4)), np.clip(around + steps, 0, 1)], None
    for closer in range(6):
        merits = merit(points)
        if best is None or merits.max() > best[0]:
            best = merits.max(), points[merits.argmax()]
        sizes = np.exp(rng.uniform(-3 - closer, -1 - closer, (500, 1)))
        points = np.clip(best[1] + rng.normal(size=(500, 4)) * sizes * (rng.random((500, 4)) < 0.6), 0, 1)
    return best[1]


def exactly(output, count):
    """A function of the problem itself, as though it had been drawn so many times."""
    return lambda at: np.repeat(truth(at)[output][:, None], count, axis=1)


def search(rule, known, shown, draws, seed):
    rng = np.random.default_rng(seed)
    points = rng.random((FIRST, 4))
    values = truth(points) + NOISE[:, None] * rng.normal(size=(2, FIRST))
    logs = [start(), start()]
    while len(points) < BUDGET:
        seen = views(values)
        if known is None:
            shares = [np.ones(len(points)), seen[1][1]]
            if len(points) % 10 == 0:
                logs = [fit(points, view, share, log) for (view, _), share, log in zip(seen, shares, logs)]
            parameters = [(np.exp(l[:4]), np.exp(l[4]) * v.var(), np.exp(l[5]) * v.var()) for l, (v, _) in zip(logs, seen)]
        else:
            shares, parameters = [share for _, share in seen], known
        processes = [Process(points, v, share, *p) for (v, _), share, p in zip(seen, shares, parameters)]
        count = draws if rule == "improvement" else 1
        cost, limit = (process.draw(count, rng) for process in processes)
        if shown == "cost":
            cost = exactly(0, count)
        elif shown == "limit":
            limit = exactly(1, count)
        believed = np.where(limit(points) <= 0, cost(points), np.inf)
        lowest = np.where(np.isfinite(believed.min(0)), believed.min(0), seen[0][0].max())
        promise = np.where(np.isfinite(believed), np.maximum(lowest + NOISE[0] - believed, 0), 0).mean(1)
        leaders = points[np.argsort(promise)[-5:]]
        if rule == "improvement":
            merit = lambda at: (np.maximum(lowest - cost(at), 0) * (limit(at) <= 0)).mean(1)
        else:
            # Of those that keep the limit the lowest, and any of them before the others.
            merit = lambda at: np.where(limit(at) <= 0, -cost(at), -1e12 * (1 + np.maximum(limit(at), 0)))[:, 0]
        points = np.r_[points, best_of(merit, leaders, rng)[None]]
        values = np.c_[values, truth(points[-1:]) + NOISE[:, None] * rng.normal(size=(2, 1))]
    cost, limit = truth(points)
    return cost[limit <= 1e-4 * DEVIATIONS[1]].min() - OPTIMUM


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("rule", choices=["thompson", "improvement"])
    arguments.add_argument("knowledge", choices=["told", "fitted"])
    arguments.add_argument("first", type=int)
    arguments.add_argument("seeds", type=int)
    arguments.add_argument("--known", choices=["limit", "cost"])
    arguments.add_argument("--draws", type=int, default=64)
    given = arguments.parse_args()
    known = told() if given.knowledge == "told" else None
    runs = range(given.first, given.first + given.seeds)
    gaps = np.array([search(given.rule, known, given.known, given.draws, seed) for seed in runs])
    low, median, high = np.percentile(gaps, [25, 50, 75])
    within = (gaps <= 0.01 * OPTIMUM).mean()
    print(f"{given.rule}, {given.knowledge}: median gap {median:.3g} ({100 * median / OPTIMUM:.1f} %), quartiles {low:.3g} and {high:.3g}, within 1 %: {within:.2f}")


if __name__ == "__main__":
    main()
