"""A Gaussian process conditioned on values and on a second-order equation with a mixed derivative, by automatic differentiation of the kernel.

Writes laplace.json beside itself. Needs PyTorch:  python laplace.py
"""
import json
import math
import pathlib

import torch

torch.set_default_dtype(torch.float64)
LENGTHS, ALONE, PRODUCT, SUM, NOISE, SLACK = [0.3, 0.45], 0.35, 1.3, 0.7, 1e-4, 1e-5


def kernel(a, b):
    t = a - b
    together = torch.exp(-0.5 * ((t / torch.tensor(LENGTHS)) ** 2).sum())
    alone = torch.exp(-0.5 * (t / ALONE) ** 2).sum() / 2
    return PRODUCT * together + SUM * alone


def operator(f):
    """f_11 + 0.7 f_22 + f_12"""
    def g(x):
        hessian = torch.autograd.functional.hessian(f, x, create_graph=True)
        return hessian[0, 0] + 0.7 * hessian[1, 1] + hessian[0, 1]
    return g


def covariance(i, j):
    (differentiated, a), (other, b) = i, j

    def in_second(y):
        def in_first(x):
            return kernel(x, y)

        return operator(in_first)(a) if differentiated else in_first(a)

    return operator(in_second)(b) if other else in_second(b)


generator = torch.Generator().manual_seed(5)
points = torch.rand(5, 2, generator=generator)
places = torch.rand(7, 2, generator=generator)
queries = torch.rand(4, 2, generator=generator)
values = torch.sin(4 * points[:, 0]) + points[:, 1]
targets = 0.3 * torch.cos(places[:, 0])
rows = [(True, z.clone().requires_grad_()) for z in places] + [(False, x.clone().requires_grad_()) for x in points]
asked = [(False, q.clone().requires_grad_()) for q in queries]
K = torch.tensor([[covariance(i, j).item() for j in rows] for i in rows])
deviations = torch.tensor([math.sqrt(K[i, i]) if i < 7 else 1.0 for i in range(12)])
K = K / deviations[:, None] / deviations[None, :]
K = K + torch.diag(torch.tensor([SLACK] * 7 + [NOISE] * 5))
k = torch.tensor([[covariance(i, j).item() for j in asked] for i in rows]) / deviations[:, None]
wanted = torch.cat([targets, values]) / deviations
mean = k.T @ torch.linalg.solve(K, wanted)
variance = (PRODUCT + SUM) - (k * torch.linalg.solve(K, k)).sum(0)
out = dict(points=points, places=places, queries=queries, values=values, targets=targets, mean=mean, deviation=variance.sqrt())
out = {name: tensor.tolist() for name, tensor in out.items()}
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(out, indent=1) + "\n")
