"""Reference numbers of other systems for the tests of hilltop-nn.

    pip install torch mpmath                                            (2.15.0, 1.3.0)
    python reference.py torch  > torch.json
    python reference.py convolution > convolution.json
    python reference.py mpmath > activations.json

    pip install neural-tangents==0.6.5 jax==0.4.25 jaxlib==0.4.25 "numpy<2" "scipy<1.13"
    python reference.py jax      > jax.json
    python reference.py infinite > infinite.json

    pip install jax mpmath                                              (0.10.2, 1.3.0)
    python reference.py jets     > jets.json

Everything is in double precision. The versions that made a file stand in it. The tests read the files; they do not need this script.

A network is the formula of `Architecture`: layer l computes z = s W a + b; the flat weights are W column by column (outputs x
inputs), then b, layer by layer. The factors s:

    standard       1, ..., 1, sqrt(m)                     m the last hidden width
    ntk            1/sqrt(d), sqrt(c/m_in), ...           c = 2 for relu, 1 otherwise
    antisymmetric  1, 1/sqrt(m_in), ...                   the output sums the last layer with fixed signs
"""

import json
import math
import sys

ACTIVATIONS = ["relu", "erf", "tanh", "sin", "gelu", "softplus"]
INPUTS, POINTS = 3, 4


def numbers(count, seed):
    """A fixed sequence in (-1, 1), the same in every language and version."""
    state, out = seed, []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append((state >> 11) / 2**52 - 1.0)
    return out


def cases():
    for parameterisation in ["standard", "ntk", "antisymmetric"]:
        for index, activation in enumerate(ACTIVATIONS):
            hidden = [6, 4] if parameterisation == "antisymmetric" else [5, 4]
            yield {
                "inputs": INPUTS,
                "hidden": hidden,
                "activation": activation,
                "parameterisation": parameterisation,
                "bias": index % 2 == 1,
            }


def scales(case):
    ins = [case["inputs"]] + case["hidden"]
    out = []
    for index, m in enumerate(ins):
        last = index == len(case["hidden"])
        if case["parameterisation"] == "standard":
            out.append(math.sqrt(m) if last else 1.0)
        elif case["parameterisation"] == "ntk":
            gain = 2.0 if case["activation"] == "relu" and index > 0 else 1.0
            out.append(math.sqrt(gain / m))
        else:
            out.append(1.0 if index == 0 else 1.0 / math.sqrt(m))
    return out


def shapes(case):
    """(outputs, inputs) of the trained layers."""
    widths = [case["inputs"]] + case["hidden"] + [1]
    pairs = [(widths[i + 1], widths[i]) for i in range(len(widths) - 1)]
    return pairs[:-1] if case["parameterisation"] == "antisymmetric" else pairs


def parameter_count(case):
    return sum(o * i + (o if case["bias"] else 0) for o, i in shapes(case))


def signs(case):
    half = [1.0 if x > 0 else -1.0 for x in numbers(case["hidden"][-1] // 2, 99)]
    return half + [-s for s in half]


def forward(case, theta, x, matrix, activation, vector):
    """h(x) for one point, written against the few operations that torch and jax share."""
    factors, start, a = scales(case), 0, x
    layers = shapes(case)
    for index, (o, i) in enumerate(layers):
        w = matrix(theta[start : start + o * i], i, o)
        start += o * i
        z = factors[index] * (w @ a)
        if case["bias"]:
            z = z + theta[start : start + o]
            start += o
        a = activation(z) if index < len(case["hidden"]) else z
    if case["parameterisation"] == "antisymmetric":
        return factors[-1] * (vector(signs(case)) @ a)
    return a[0]


def from_torch():
    import torch
    from torch.func import grad, jvp, vmap

    torch.set_default_dtype(torch.float64)
    functions = {
        "relu": torch.relu,
        "erf": torch.erf,
        "tanh": torch.tanh,
        "sin": torch.sin,
        "gelu": torch.nn.functional.gelu,
        "softplus": torch.nn.functional.softplus,
    }
    made = []
    for number, case in enumerate(cases()):
        count = parameter_count(case)

        def h(theta, x, case=case):
            matrix = lambda values, i, o: values.reshape(i, o).T
            return forward(case, theta, x, matrix, functions[case["activation"]], torch.tensor)

        theta = torch.tensor(numbers(count, 1000 + number))
        x = 1.5 * torch.tensor(numbers(POINTS * INPUTS, 2000 + number)).reshape(POINTS, INPUTS)
        v = torch.tensor(numbers(count, 3000 + number))
        c = torch.tensor(numbers(POINTS, 4000 + number))
        along = lambda x, h=h, v=v, theta=theta: jvp(lambda t: h(t, x), (theta,), (v,))[1]
        features = vmap(lambda x: grad(h)(theta, x))(x)
        square = lambda x, h=h, theta=theta: grad(h)(theta, x).square().sum()
        made.append(
            {
                "architecture": case,
                "signs": signs(case) if case["parameterisation"] == "antisymmetric" else [],
                "weights": theta.tolist(),
                "points": x.tolist(),
                "direction": v.tolist(),
                "coefficients": c.tolist(),
                "values": [h(theta, p).item() for p in x],
                "weight_gradient": (c @ features).tolist(),
                "input_gradients": vmap(lambda x: grad(h, argnums=1)(theta, x))(x).tolist(),
                "kernel": (features @ features.T).tolist(),
                "directional": [along(p).item() for p in x],
                "directional_gradients": [grad(along)(p).tolist() for p in x],
                "diagonal_gradients": [grad(square)(p).tolist() for p in x],
            }
        )
    return {"versions": {"torch": torch.__version__}, "cases": made, "training": torch_training(torch, functions)}


def torch_training(torch, functions):
    """Twelve epochs in batches of three in the order given, by torch.optim, from the weights of a case."""
    runs = []
    for name in ["sgd", "adam"]:
        case = {"inputs": 2, "hidden": [4], "activation": "tanh", "parameterisation": "ntk", "bias": True}
        start = numbers(parameter_count(case), 7)
        x = torch.tensor(numbers(8 * 2, 8)).reshape(8, 2)
        y = torch.tensor(numbers(8, 9))
        theta = torch.tensor(start, requires_grad=True)
        anchor = torch.tensor(start)
        rate, penalty, decay = 0.05, 0.4, 0.9
        ways = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
        optimiser = ways[name]([theta], lr=rate)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, decay)
        h = lambda p: forward(
            case, theta, p, lambda values, i, o: values.reshape(i, o).T, functions["tanh"], torch.tensor
        )
        for _ in range(12):
            for first in range(0, 8, 3):
                batch = range(first, min(first + 3, 8))
                optimiser.zero_grad()
                data = sum(0.5 * (h(x[k]) - y[k]) ** 2 for k in batch) / len(batch)
                (data + 0.5 * penalty / 8 * (theta - anchor).square().sum()).backward()
                optimiser.step()
            schedule.step()
        runs.append(
            {
                "architecture": case,
                "optimiser": {"name": name, "rate": rate, "batch": 3, "epochs": 12, "decay": decay, "shuffle": False},
                "penalty": penalty,
                "start": start,
                "points": x.tolist(),
                "targets": y.tolist(),
                "end": theta.tolist(),
            }
        )
    return runs


def convolution_cases():
    shapes = [
        ([4, 5, 1], [3, 2], 1, "relu", "ntk", [4], True),
        ([4, 5, 2], [2, 2], 1, "erf", "ntk", [4], False),
        ([5, 5, 1], [3, 3], 2, "tanh", "standard", [3], True),
        ([1, 7, 2], [1, 3], 1, "gelu", "standard", [], False),
        ([4, 4, 1], [2, 3], 1, "softplus", "antisymmetric", [4], True),
        ([4, 4, 3], [2, 2], 2, "erf", "antisymmetric", [], False),
        ([3, 3, 1], [3, 3], 1, "sin", "ntk", [3, 2], True),
        ([6, 6, 1], [3, 3], 1, "erf", "ntk", [6], True),
    ]
    for image, kernel, stride, activation, parameterisation, hidden, bias in shapes:
        yield {
            "inputs": math.prod(image),
            "convolution": {"image": image, "kernel": kernel, "stride": stride, "filters": 4},
            "hidden": hidden,
            "activation": activation,
            "parameterisation": parameterisation,
            "bias": bias,
        }


def convolution_layers(case):
    """(factor, outputs, inputs) of every layer; the antisymmetric form has fixed signs for the weights of the last."""
    c = case["convolution"]
    sites = math.prod((c["image"][k] - c["kernel"][k]) // c["stride"] + 1 for k in range(2))
    ins = [math.prod(c["kernel"]) * c["image"][2], c["filters"] * sites] + case["hidden"]
    outs = [c["filters"]] + case["hidden"] + [1]
    gain = 2.0 if case["activation"] == "relu" else 1.0
    for index, (i, o) in enumerate(zip(ins, outs)):
        last = index == len(ins) - 1
        factor = {
            "standard": math.sqrt(i) if last else 1.0,
            "ntk": math.sqrt((gain if index > 0 else 1.0) / i),
            "antisymmetric": 1.0 if index == 0 else 1.0 / math.sqrt(i),
        }
        yield factor[case["parameterisation"]], o, i


def from_torch_convolution():
    """Networks that begin with torch.nn.functional.conv2d.

    A point is rows x columns x channels. The convolution's matrix is filters x (rows, columns, channels of the patch), column by
    column; the next layer takes the filters of a site together, site after site.
    """
    import torch
    from torch.func import grad, jvp, vmap

    torch.set_default_dtype(torch.float64)
    functional = torch.nn.functional
    functions = {name: getattr(torch, name, None) or getattr(functional, name) for name in ACTIVATIONS}

    def forward(case, theta, x, signs):
        c, start = case["convolution"], 0
        layers = list(convolution_layers(case))
        for index, (factor, o, i) in enumerate(layers):
            last = index == len(layers) - 1
            if last and case["parameterisation"] == "antisymmetric":
                return factor * (signs @ a)
            w = theta[start : start + o * i].reshape(i, o).T
            start += o * i
            b = theta[start : start + o] if case["bias"] else torch.zeros(o)
            start += o if case["bias"] else 0
            if index == 0:
                w = w.reshape(o, *c["kernel"], c["image"][2]).permute(0, 3, 1, 2)
                image = x.reshape(1, *c["image"]).permute(0, 3, 1, 2)
                z = factor * functional.conv2d(image, w, stride=c["stride"]) + b.reshape(1, -1, 1, 1)
                a = functions[case["activation"]](z).permute(0, 2, 3, 1).reshape(-1)
                continue
            z = factor * (w @ a) + b
            a = z if last else functions[case["activation"]](z)
        return a[0]

    def count(case):
        layers = list(convolution_layers(case))
        layers = layers[:-1] if case["parameterisation"] == "antisymmetric" else layers
        return sum(o * i + (o if case["bias"] else 0) for _, o, i in layers)

    made = []
    for number, case in enumerate(convolution_cases()):
        width = list(convolution_layers(case))[-1][2]
        fixed = [1.0 if s > 0 else -1.0 for s in numbers(width, 9900 + number)]
        fixed = fixed if case["parameterisation"] == "antisymmetric" else []
        h = lambda theta, x, case=case, fixed=fixed: forward(case, theta, x, torch.tensor(fixed))
        theta = torch.tensor(numbers(count(case), 9100 + number))
        x = 1.5 * torch.tensor(numbers(POINTS * case["inputs"], 9200 + number)).reshape(POINTS, case["inputs"])
        v = torch.tensor(numbers(len(theta), 9300 + number))
        c = torch.tensor(numbers(POINTS, 9400 + number))
        along = lambda x, h=h, v=v, theta=theta: jvp(lambda t: h(t, x), (theta,), (v,))[1]
        features = torch.stack([grad(h)(theta, p) for p in x])
        square = lambda x, h=h, theta=theta: grad(h)(theta, x).square().sum()
        mixed = lambda x, h=h, theta=theta, w=c @ features: grad(h)(theta, x) @ w
        made.append(
            {
                "architecture": case,
                "signs": fixed,
                "weights": theta.tolist(),
                "points": x.tolist(),
                "direction": v.tolist(),
                "coefficients": c.tolist(),
                "values": [h(theta, p).item() for p in x],
                "weight_gradient": (c @ features).tolist(),
                "input_gradients": [grad(h, argnums=1)(theta, p).tolist() for p in x],
                "kernel": (features @ features.T).tolist(),
                "directional": [along(p).item() for p in x],
                "directional_gradients": [grad(along)(p).tolist() for p in x],
                "kernel_gradients": [grad(mixed)(p).tolist() for p in x],
                "diagonal_gradients": [grad(square)(p).tolist() for p in x],
            }
        )
    case = made[0]["architecture"]
    start = made[0]["weights"]
    theta, x, y = torch.tensor(start, requires_grad=True), torch.tensor(made[0]["points"]), torch.tensor(numbers(POINTS, 5))
    optimiser, anchor, penalty = torch.optim.Adam([theta], lr=0.02), torch.tensor(start), 0.3
    for _ in range(10):
        for batch in [[0, 1, 2], [3]]:
            optimiser.zero_grad()
            data = sum(0.5 * (forward(case, theta, x[k], None) - y[k]) ** 2 for k in batch) / len(batch)
            (data + 0.5 * penalty / POINTS * (theta - anchor).square().sum()).backward()
            optimiser.step()
    training = {
        "optimiser": {"name": "adam", "rate": 0.02, "batch": 3, "epochs": 10, "shuffle": False},
        "penalty": penalty,
        "targets": y.tolist(),
        "end": theta.tolist(),
    }
    return {"versions": {"torch": torch.__version__}, "cases": made, "training": training}


def from_mpmath():
    """Values, slopes and curvatures of the activations to fifty digits, rounded to double."""
    import mpmath as mp

    mp.mp.dps = 50
    bell = lambda z: mp.exp(-z * z)
    density = lambda z: mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)
    below = lambda z: mp.erfc(-z / mp.sqrt(2)) / 2
    logistic = lambda z: 1 / (1 + mp.exp(-z))
    functions = {
        "erf": [mp.erf, lambda z: 2 / mp.sqrt(mp.pi) * bell(z), lambda z: -4 * z / mp.sqrt(mp.pi) * bell(z)],
        "tanh": [mp.tanh, lambda z: mp.sech(z) ** 2, lambda z: -2 * mp.tanh(z) * mp.sech(z) ** 2],
        "sin": [mp.sin, mp.cos, lambda z: -mp.sin(z)],
        "gelu": [
            lambda z: z * below(z),
            lambda z: below(z) + z * density(z),
            lambda z: (2 - z * z) * density(z),
        ],
        "softplus": [lambda z: mp.log1p(mp.exp(z)), logistic, lambda z: logistic(z) * logistic(-z)],
        "sigmoid": [
            logistic,
            lambda z: logistic(z) * logistic(-z),
            lambda z: logistic(z) * logistic(-z) * (1 - 2 * logistic(z)),
        ],
    }
    points = [0.0, 1e-12, 1e-3, 0.1, 0.4999, 0.5001, 0.75, 1.0, 1.7, 2.5, 4.0, 6.0, 9.0, 15.0, 25.0]
    points = sorted({s * p for p in points for s in (-1.0, 1.0)})
    out = {name: [[float(f(mp.mpf(p))) for f in jet] for p in points] for name, jet in functions.items()}
    return {"versions": {"mpmath": mp.__version__}, "points": points, "functions": out}


def from_jax():
    """Empirical tangent kernels of neural-tangents, of the networks with the ntk factors."""
    import jax
    import jax.numpy as jnp
    import neural_tangents as nt

    jax.config.update("jax_enable_x64", True)
    functions = {
        "relu": jax.nn.relu,
        "erf": jax.scipy.special.erf,
        "tanh": jnp.tanh,
        "sin": jnp.sin,
        "gelu": lambda z: jax.nn.gelu(z, approximate=False),
        "softplus": jax.nn.softplus,
    }
    made = []
    for number, case in enumerate(cases()):
        theta = jnp.array(numbers(parameter_count(case), 5000 + number))
        x = 1.5 * jnp.array(numbers(POINTS * INPUTS, 6000 + number)).reshape(POINTS, INPUTS)

        def apply(theta, x, case=case):
            matrix = lambda values, i, o: values.reshape(i, o).T
            one = lambda p: forward(case, theta, p, matrix, functions[case["activation"]], jnp.array)
            return jax.vmap(one)(x)[:, None]

        kernel = nt.empirical_ntk_fn(apply, trace_axes=(-1,), vmap_axes=0)(x, x[:2], theta)
        made.append(
            {
                "architecture": case,
                "signs": signs(case) if case["parameterisation"] == "antisymmetric" else [],
                "weights": theta.tolist(),
                "points": x.tolist(),
                "values": apply(theta, x)[:, 0].tolist(),
                "kernel": kernel.tolist(),
            }
        )
    return {"versions": {"jax": jax.__version__, "neural-tangents": nt.__version__}, "cases": made}


def infinite():
    """Kernels of infinitely wide networks without biases, ntk form.

    The recursion starts from <x, x'>/d, so the first Dense has W_std = 1. Every later one makes up for the activation before
    it: W_std = sqrt(2) for relu, 1 for erf. `depth` counts hidden layers: depth 1 is Dense, activation, Dense. `nngp` is the
    covariance of the output over random weights, `ntk` the tangent kernel with respect to all weights.
    """
    import jax
    import jax.numpy as jnp
    import neural_tangents as nt
    from neural_tangents import stax

    jax.config.update("jax_enable_x64", True)
    dimension = 4
    points = jnp.array(numbers(6 * dimension, 42)).reshape(6, dimension)
    # Different norms, a parallel pair, an opposite pair, a pair that nearly coincides.
    points = points.at[1].set(3.0 * points[0]).at[3].set(-0.5 * points[2]).at[5].set(points[4] * 1.0001 + 1e-5)
    made = []
    for activation, std in [("relu", math.sqrt(2.0)), ("erf", 1.0)]:
        for depth in [1, 2, 3]:
            layers = [stax.Dense(1, W_std=1.0, b_std=None)]
            for _ in range(depth):
                layers += [stax.Relu() if activation == "relu" else stax.Erf(), stax.Dense(1, W_std=std, b_std=None)]
            _, _, kernel = stax.serial(*layers)
            both = kernel(points, points, ("nngp", "ntk"))
            made.append(
                {
                    "activation": activation,
                    "depth": depth,
                    "W_std": [1.0] + [std] * depth,
                    "nngp": both.nngp.tolist(),
                    "ntk": both.ntk.tolist(),
                }
            )
    versions = {"jax": jax.__version__, "neural-tangents": nt.__version__}
    return {"versions": versions, "note": " ".join(infinite.__doc__.split()), "points": points.tolist(), "kernels": made}


def jet_cases():
    """Four smooth activations at depths 1 to 5; form and biases change from one to the next."""
    for row, activation in enumerate(["tanh", "sin", "erf", "softplus"]):
        for depth in range(1, 6):
            yield {
                "inputs": 3,
                "hidden": [4] * depth,
                "activation": activation,
                "parameterisation": ["standard", "ntk", "antisymmetric"][(row + depth) % 3],
                "bias": (row + depth) % 2 == 0,
            }


def jet_partials():
    """Every derivative in three inputs up to the fourth order, as the inputs to differentiate in."""
    from itertools import combinations_with_replacement as choose

    return [list(axes) for order in range(5) for axes in choose(range(3), order)]


def differences(case, theta, x, direction, axes, step):
    """The derivative along `direction` in the weights of a derivative in the inputs, by central differences to eighty digits."""
    from mpmath import mp

    function = {
        "tanh": mp.tanh,
        "sin": mp.sin,
        "erf": mp.erf,
        "softplus": lambda z: mp.log(1 + mp.exp(z)),
    }[case["activation"]]

    def value(theta, x):
        factors, start, a = scales(case), 0, x
        for index, (o, i) in enumerate(shapes(case)):
            w, start = theta[start : start + o * i], start + o * i
            z = [mp.mpf(factors[index]) * mp.fsum(w[c * o + r] * a[c] for c in range(i)) for r in range(o)]
            if case["bias"]:
                z, start = [p + q for p, q in zip(z, theta[start : start + o])], start + o
            a = [function(p) for p in z] if index < len(case["hidden"]) else z
        if case["parameterisation"] == "antisymmetric":
            return mp.mpf(factors[-1]) * mp.fsum(s * p for s, p in zip(signs(case), a))
        return a[0]

    def along(theta, x, axes):
        if not axes:
            return value(theta, x)
        high, low = list(x), list(x)
        high[axes[0]] += step
        low[axes[0]] -= step
        return (along(theta, high, axes[1:]) - along(theta, low, axes[1:])) / (2 * step)

    high = [t + step * v for t, v in zip(theta, direction)]
    low = [t - step * v for t, v in zip(theta, direction)]
    return along(theta, x, axes), (along(high, x, axes) - along(low, x, axes)) / (2 * step)


def jets():
    """Derivatives in the inputs by nested differentiation in jax, and their gradients in the weights.

    `values` are points x derivatives, `along` their derivatives along `direction` in the weights, `weight_gradient` the gradient of
    their sum with `coefficients`. `differences` repeats some values and their derivatives along the direction by central differences to
    eighty digits: rows of point, derivative, value, derivative along the direction.
    """
    import jax
    import jax.numpy as jnp
    from mpmath import mp

    mp.dps = 80
    jax.config.update("jax_enable_x64", True)
    functions = {"erf": jax.scipy.special.erf, "tanh": jnp.tanh, "sin": jnp.sin, "softplus": jax.nn.softplus}
    partials, made = jet_partials(), []
    for number, case in enumerate(jet_cases()):
        count = parameter_count(case)
        theta = jnp.array(numbers(count, 7000 + number))
        v = jnp.array(numbers(count, 7100 + number))
        x = 1.5 * jnp.array(numbers(2 * 3, 7200 + number)).reshape(2, 3)
        c = jnp.array(numbers(2 * len(partials), 7300 + number)).reshape(2, len(partials))

        def h(theta, x, case=case):
            matrix = lambda values, i, o: values.reshape(i, o).T
            return forward(case, theta, x, matrix, functions[case["activation"]], jnp.array)

        def tensors(theta, x, h=h):
            out, f = [], lambda x: h(theta, x)
            for _ in range(5):
                out.append(f(x))
                f = jax.jacfwd(f)
            return out

        def all_partials(theta, x, tensors=tensors):
            orders = tensors(theta, x)
            return jnp.array([orders[len(axes)][tuple(axes)] for axes in partials])

        both = lambda theta: jax.vmap(lambda p: all_partials(theta, p))(x)
        values, along = jax.jvp(jax.jit(both), (theta,), (v,))
        gradient = jax.jit(jax.grad(lambda theta: jnp.sum(c * both(theta))))(theta)
        exact = [mp.mpf(float(t)) for t in theta]
        direction = [mp.mpf(float(t)) for t in v]
        checked = []
        for k in range(4):
            point, which = k % 2, (11 * number + 8 * k + 3) % len(partials)
            at = [mp.mpf(float(t)) for t in x[point]]
            value, moved = differences(case, exact, at, direction, partials[which], mp.mpf("1e-12"))
            checked.append([point, which, float(value), float(moved)])
        made.append(
            {
                "architecture": case,
                "signs": signs(case) if case["parameterisation"] == "antisymmetric" else [],
                "weights": theta.tolist(),
                "points": x.tolist(),
                "direction": v.tolist(),
                "coefficients": c.tolist(),
                "values": values.tolist(),
                "along": along.tolist(),
                "weight_gradient": gradient.tolist(),
                "differences": checked,
            }
        )
    versions = {"jax": jax.__version__, "mpmath": mpmath_version()}
    return {"versions": versions, "note": " ".join(jets.__doc__.split()), "partials": partials, "cases": made}


def mpmath_version():
    import mpmath

    return mpmath.__version__


if __name__ == "__main__":
    makers = {"torch": from_torch, "convolution": from_torch_convolution, "mpmath": from_mpmath, "jax": from_jax, "infinite": infinite, "jets": jets}
    print(json.dumps(makers[sys.argv[1]]()))
