"""What a search can reach on gas-transmission with noise if it knows more than any search does.

    python gas_transmission.py RULE KNOWLEDGE FIRST_SEED SEEDS [--known {limit,cost}] [--draws N]

Gaussian processes with the squared-exponential kernel see `x2` and `x4` in the logarithms in which the functions are tame. KNOWLEDGE is
what they have of the noise and the scales of their inputs:

    told     the noise, and scales fitted to 300 values without it, half of them around the optimum
    pooled   the noise, and scales fitted beforehand to eight sets of 200 noisy values, most of them around the optimum
    fitted   what is most probable by what they observe
    drawn    sixteen sets, as probable as they are by what they observe

40 random points, then 160 by RULE:

    thompson      the best point of one function drawn from each process
    improvement   the expected improvement, over 64 such pairs or as many as `--draws` says, on the best of the points evaluated
    coverage      as thompson, and the last 80, ten at a time, by how many pairs they are within 1 % of the best in where no other point is

The score is the best true objective among points that break the limit by at most 1e-4 of its deviation. `--known` lets the search
see one of the two functions as it is, so that only the other holds it up.

NumPy and SciPy; about 20 s a seed, a minute by coverage.
"""

import argparse

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

LOW, HIGH = np.array([20, 1, 20, 0.1]), np.array([50, 10, 50, 60.0])
LOGARITHMIC = [1, 3]
OPTIMUM = 2964895.4
FIRST, BUDGET, WAVES = 40, 200, 400
TICKETS_FROM, TICKETS, WITHIN = 120, 10, 0.01


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


def density(points, values, shares, logs):
    """The negative logarithm of the posterior density of scales, signal and noise, given as logarithms, in units of the values' deviation."""
    standard = (values - values.mean()) / values.std()
    covariance = np.exp(logs[4]) * (kernel(points, points, np.exp(logs[:4])) + 1e-7 * np.eye(len(values)))
    try:
        root = np.linalg.cholesky(covariance + np.diag(np.exp(logs[5]) * shares))
    except np.linalg.LinAlgError:
        return 1e9
    white = np.linalg.solve(root, standard)
    prior = (logs[:4] ** 2).sum() / 1.5**2 + logs[4] ** 2 / 4 + ((logs[5] - np.log(3e-3)) / 1.5) ** 2
    return 0.5 * white @ white + np.log(np.diag(root)).sum() + 0.5 * prior


def fit(points, values, shares, start):
    """The logarithms of greatest posterior density."""
    cost = lambda logs: density(points, values, shares, logs)
    return minimize(cost, start, method="L-BFGS-B", options={"maxiter": 40}).x


def walk(points, values, shares, walkers, sweeps, rng):
    """Moves walkers among the logarithms until they are as probable as they should be: stretch moves (Goodman and Weare, 2010)."""
    costs = [density(points, values, shares, logs) for logs in walkers]
    for _ in range(sweeps):
        for mover in rng.permutation(len(walkers)):
            other = rng.choice([k for k in range(len(walkers)) if k != mover])
            stretch = (2**-0.5 + (2**0.5 - 2**-0.5) * rng.random()) ** 2
            moved = walkers[other] + stretch * (walkers[mover] - walkers[other])
            cost = density(points, values, shares, moved)
            if np.log(rng.random()) < (len(moved) - 1) * np.log(stretch) + costs[mover] - cost:
                walkers[mover], costs[mover] = moved, cost
    return walkers


class Process:
    def __init__(self, points, values, shares, scales, signal, noise):
        self.points, self.scales, self.signal, self.noise = points, scales, signal, noise * shares
        self.mean, self.values = values.mean(), values - values.mean()
        covariance = signal * (kernel(points, points, scales) + 1e-8 * np.eye(len(values)))
        self.factor = cho_factor(covariance + np.diag(self.noise), lower=True)

    def expected(self, at):
        return self.mean + self.signal * kernel(at, self.points, self.scales) @ cho_solve(self.factor, self.values)

    def draw(self, count, rng):
        """Functions as probable as any: waves of the kernel's spectrum, and what the observations change in them."""
        waves, phases = rng.normal(size=(WAVES, 4)) * self.scales, rng.uniform(0, 2 * np.pi, WAVES)
        heights = rng.normal(size=(WAVES, count)) * np.sqrt(2 * self.signal / WAVES)
        prior = np.cos(self.points @ waves.T + phases) @ heights
        seen = prior + np.sqrt(self.noise)[:, None] * rng.normal(size=(len(self.values), count))
        weights = cho_solve(self.factor, self.values[:, None] - seen)
        features = lambda at: np.c_[np.cos(at @ waves.T + phases), self.signal * kernel(at, self.points, self.scales)]
        return Drawn(self.mean, features, np.r_[heights, weights])


class Drawn:
    """Functions of the same features."""

    def __init__(self, mean, features, weights):
        self.mean, self.features, self.weights = mean, features, weights

    def __call__(self, at):
        """Every function at every point, one column a function."""
        return self.mean + self.features(at) @ self.weights

    def own(self, at):
        """Every function at points of its own, one row a function."""
        features = self.features(at.reshape(-1, 4)).reshape(*at.shape[:2], -1)
        return self.mean + np.einsum("fpk,kf->fp", features, self.weights)


class Several:
    """Processes, or functions drawn from them, of which none is preferred."""

    def __init__(self, parts):
        self.parts = parts

    def draw(self, count, rng):
        shares = np.diff(np.arange(len(self.parts) + 1) * count // len(self.parts))
        order = rng.permutation(len(self.parts))
        return Several([self.parts[k].draw(share, rng) for k, share in zip(order, shares) if share])

    def __call__(self, at):
        return np.concatenate([part(at) for part in self.parts], axis=1)

    def own(self, at):
        ends = np.cumsum([part.weights.shape[1] for part in self.parts])
        return np.concatenate([part.own(piece) for part, piece in zip(self.parts, np.split(at, ends[:-1]))])


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


def pooled():
    """What no search knows either: scales and signal by which eight sets of noisy values are most probable, and the noise itself."""
    sets = []
    for seed in range(1000, 1008):
        rng = np.random.default_rng(seed)
        near = np.array([1, 0.07, 0.15, 0.21]) + rng.normal(size=(140, 4)) * np.array([0.3, 0.08, 0.3, 0.15])
        points = np.r_[rng.random((60, 4)), np.clip(near, 0, 1)]
        sets.append((points, views(truth(points) + NOISE[:, None] * rng.normal(size=(2, 200)))))

    def cost(logs, output):
        sum = 0.5 * (np.maximum(-4 - logs[:4], 0) ** 2).sum()
        for points, seen in sets:
            values, shares = seen[output]
            covariance = np.exp(logs[4]) * (kernel(points, points, np.exp(logs[:4])) + 1e-7 * np.eye(200))
            try:
                root = np.linalg.cholesky(covariance + np.diag(NOISE[output] ** 2 * shares))
            except np.linalg.LinAlgError:
                return 1e9
            white = np.linalg.solve(root, values - values.mean())
            sum += 0.5 * white @ white + np.log(np.diag(root)).sum()
        return sum

    known = []
    for output, noise in enumerate(NOISE):
        first = np.array([0, 0, 0, 0, np.log(sets[0][1][output][0].var())])
        logs = minimize(cost, first, args=(output,), method="L-BFGS-B").x
        known.append((np.exp(logs[:4]), np.exp(logs[4]), noise**2))
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


def optima(cost, limit, count, leaders, rng):
    """The best point of each of so many drawn pairs that keeps the limit, and its cost."""
    around = np.repeat(leaders, 600, axis=0)
    around = np.clip(around + rng.normal(size=around.shape) * np.exp(rng.uniform(-5, -0.5, (len(around), 1))), 0, 1)
    worth = lambda costs, limits: np.where(limits <= 0, costs, 1e12 * (1 + np.maximum(limits, 0)))
    points = np.r_[rng.random((1000, 4)), around]
    worths = worth(cost(points), limit(points))
    best, lowest, each = points[worths.argmin(0)], worths.min(0), np.arange(count)
    for closer in range(12):
        sizes = np.exp(rng.uniform(-3 - 0.4 * closer, -1 - 0.4 * closer, (count, 40, 1)))
        steps = rng.normal(size=(count, 40, 4)) * sizes * (rng.random((count, 40, 4)) < 0.6)
        points = np.clip(best[:, None] + steps, 0, 1)
        worths = worth(cost.own(points), limit.own(points))
        first = worths.argmin(1)
        better = worths[each, first] < lowest
        best[better], lowest[better] = points[each, first][better], worths[each, first][better]
    return best, lowest


def covering(cost, limit, count, points, leaders, rng):
    """Points that are within 1 % of the best in as many drawn pairs as possible in which no other point is."""
    best, lowest = optima(cost, limit, count, leaders, rng)
    around = np.repeat(best, 4, axis=0)
    around = np.clip(around + rng.normal(size=around.shape) * np.exp(rng.uniform(-6, -2, (len(around), 1))), 0, 1)
    choice = np.r_[best, around]
    within = lambda at: (limit(at) <= 1e-4 * DEVIATIONS[1]) & (cost(at) <= lowest + WITHIN * OPTIMUM)
    covers, open_pairs, chosen = within(choice), ~within(points).any(0), []
    for _ in range(TICKETS):
        chosen.append((covers & open_pairs).sum(1).argmax())
        open_pairs &= ~covers[chosen[-1]]
    return choice[chosen]


class Scales:
    """Scales, signal and noise of the processes, as far as they are known."""

    def __init__(self, knowledge):
        self.known = {"told": told, "pooled": pooled}.get(knowledge, lambda: None)()
        self.drawn = knowledge == "drawn"

    def begin(self):
        self.logs = [start(), start()]
        self.walkers = [None, None]

    def processes(self, points, values, rng):
        """The processes of both outputs; fitted ones learn from every tenth observation."""
        seen, anew = views(values), len(points) % 10 == 0
        if self.known is not None:
            return [Process(points, view, share, *known) for (view, share), known in zip(seen, self.known)]
        processes = []
        for output, (view, share) in enumerate(seen):
            if not self.drawn and output == 0:
                share = np.ones(len(points))
            of = lambda logs: Process(points, view, share, np.exp(logs[:4]), *(np.exp(logs[4:]) * view.var()))
            if self.drawn and anew:
                sweeps = 12
                if self.walkers[output] is None:
                    self.walkers[output], sweeps = fit(points, view, share, start()) + 0.3 * rng.normal(size=(16, 6)), 40
                self.walkers[output] = walk(points, view, share, self.walkers[output], sweeps, rng)
            elif anew:
                self.logs[output] = fit(points, view, share, self.logs[output])
            processes.append(Several([of(logs) for logs in self.walkers[output]]) if self.drawn else of(self.logs[output]))
        return processes


def search(rule, scales, shown, draws, seed):
    """The points evaluated."""
    rng = np.random.default_rng(seed)
    points = rng.random((FIRST, 4))
    values = truth(points) + NOISE[:, None] * rng.normal(size=(2, FIRST))
    scales.begin()
    while len(points) < BUDGET:
        tickets = rule == "coverage" and len(points) >= TICKETS_FROM
        count = draws if rule == "improvement" or tickets else 1
        cost, limit = (process.draw(count, rng) for process in scales.processes(points, values, rng))
        if shown == "cost":
            cost = exactly(0, count)
        elif shown == "limit":
            limit = exactly(1, count)
        believed = np.where(limit(points) <= 0, cost(points), np.inf)
        lowest = np.where(np.isfinite(believed.min(0)), believed.min(0), views(values)[0][0].max())
        promise = np.where(np.isfinite(believed), np.maximum(lowest + NOISE[0] - believed, 0), 0).mean(1)
        leaders = points[np.argsort(promise)[-5:]]
        if tickets:
            found = covering(cost, limit, count, points, leaders, rng)
        elif rule == "improvement":
            merit = lambda at: (np.maximum(lowest - cost(at), 0) * (limit(at) <= 0)).mean(1)
            found = best_of(merit, leaders, rng)[None]
        else:
            # Of those that keep the limit the lowest, and any of them before the others.
            merit = lambda at: np.where(limit(at) <= 0, -cost(at), -1e12 * (1 + np.maximum(limit(at), 0)))[:, 0]
            found = best_of(merit, leaders, rng)[None]
        points = np.r_[points, found]
        values = np.c_[values, truth(found) + NOISE[:, None] * rng.normal(size=(2, len(found)))]
    return points


def gap(points):
    cost, limit = truth(points)
    return cost[limit <= 1e-4 * DEVIATIONS[1]].min() - OPTIMUM


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("rule", choices=["thompson", "improvement", "coverage"])
    arguments.add_argument("knowledge", choices=["told", "pooled", "fitted", "drawn"])
    arguments.add_argument("first", type=int)
    arguments.add_argument("seeds", type=int)
    arguments.add_argument("--known", choices=["limit", "cost"])
    arguments.add_argument("--draws", type=int, default=64)
    given = arguments.parse_args()
    if given.known and given.rule == "coverage":
        arguments.error("--known goes with thompson and improvement")
    scales = Scales(given.knowledge)
    runs = range(given.first, given.first + given.seeds)
    gaps = np.array([gap(search(given.rule, scales, given.known, given.draws, seed)) for seed in runs])
    low, median, high = np.percentile(gaps, [25, 50, 75])
    within = (gaps <= 0.01 * OPTIMUM).mean()
    print(f"{given.rule}, {given.knowledge}: median gap {median:.3g} ({100 * median / OPTIMUM:.1f} %), quartiles {low:.3g} and {high:.3g}, within 1 %: {within:.2f}")


if __name__ == "__main__":
    main()
