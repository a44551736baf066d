"""Makes gp.json: posteriors, likelihoods and their gradients of Gaussian processes.

Run: python gp.py > gp.json      (scikit-learn 1.9.1, NumPy 2.4.6)
"""

import json

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

rng = np.random.default_rng(20)
points = rng.uniform(size=(25, 3))
queries = rng.uniform(size=(6, 3))
values = np.sin(4 * points[:, 0]) + points[:, 1] ** 2 - 0.5 * points[:, 0] * points[:, 2]
values = (values - values.mean()) / values.std()
SIGNAL, NOISE, LENGTHS = 1.7, 0.01, [0.4, 0.9, 2.5]

cases = []
for name, shape in [("squared-exponential", RBF(LENGTHS)), ("matern", Matern(LENGTHS, nu=2.5))]:
    kernel = ConstantKernel(SIGNAL) * shape + WhiteKernel(NOISE)
    model = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(points, values)
    likelihood, gradient = model.log_marginal_likelihood(model.kernel_.theta, eval_gradient=True)
    free = ConstantKernel(SIGNAL) * shape
    exact = GaussianProcessRegressor(free, alpha=NOISE, optimizer=None).fit(points, values)
    mean, covariance = exact.predict(queries, return_cov=True)
    gram = free(points)
    cases.append({
        "kernel": name,
        "gram": gram[:5, :5].tolist(),
        "mean": mean.tolist(),
        "covariance": covariance.tolist(),
        "likelihood": likelihood,
        # In the logarithms of signal, length scales and noise.
        "gradient": gradient.tolist(),
        "information": 0.5 * np.linalg.slogdet(np.eye(len(points)) + gram / NOISE)[1],
    })

print(json.dumps({
    "signal": SIGNAL, "noise": NOISE, "lengths": LENGTHS, "points": points.tolist(), "values": values.tolist(),
    "queries": queries.tolist(), "cases": cases,
}))
