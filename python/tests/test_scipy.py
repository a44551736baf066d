"""``scipy.optimize.minimize`` with our method."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, OptimizeResult, minimize  # noqa: E402

from hilltop.scipy import hilltop  # noqa: E402

BOX = [(-2, 2), (-2, 2)]


def bowl(x, shift=0.0):
    return (x[0] - 1 - shift) ** 2 + (x[1] + 0.5) ** 2


def found(**arguments) -> OptimizeResult:
    options = {"budget": 30, "seed": 1, **arguments.pop("options", {})}
    return minimize(bowl, [0.0, 0.0], method=hilltop, options=options, **{"bounds": BOX, **arguments})


def test_it_answers_like_any_method():
    result = found()
    assert isinstance(result, OptimizeResult) and result.success and result.fun < 1e-3
    assert result.nfev == 30 and result.x.shape == (2,) and result.x_iters[0] == [0.0, 0.0]
    assert len(result.func_vals) == 30 and result.fun == min(result.func_vals)


@pytest.mark.parametrize("bounds", [Bounds([-2, -2], [2, 2]), Bounds(-2, 2), np.array(BOX), ((-2, 2), (-2, 2))])
def test_bounds_of_every_kind(bounds):
    assert found(bounds=bounds).fun < 0.01


def test_bounds_are_needed_and_finite():
    for wrong in (None, [(0, None), (0, 1)], [(0, np.inf), (0, 1)], [(0, 1)]):
        with pytest.raises(ValueError):
            found(bounds=wrong)


def test_arguments_tolerances_and_gradients_are_accepted():
    result = found(args=(0.5,), tol=1e-3, jac=lambda x, shift: x)
    assert result.x[0] == pytest.approx(1.5, abs=0.1)


def test_linear_constraints_are_never_violated():
    result = found(constraints=LinearConstraint([[1, 1]], -np.inf, 0))
    assert all(sum(x) <= 1e-9 for x in result.x_iters) and result.x[0] + result.x[1] > -0.2
    result = found(constraints=[LinearConstraint([1, -1], 0.5, 0.5)])
    assert all(abs(x[0] - x[1] - 0.5) < 1e-6 for x in result.x_iters[1:])


@pytest.mark.parametrize(
    "constraint",
    [
        NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2, 0, 1),
        {"type": "ineq", "fun": lambda x: 1 - x[0] ** 2 - x[1] ** 2},
        [{"type": "ineq", "fun": lambda x, r: r - x[0] ** 2 - x[1] ** 2, "args": (1,)}],
    ],
)
def test_other_constraints_have_their_own_sign(constraint):
    result = found(constraints=constraint, options={"budget": 40})
    assert result.success and result.maxcv == 0 and result.x @ result.x <= 1
    assert result.fun < 1.25


def test_what_is_no_constraint_is_refused():
    with pytest.raises((TypeError, ValueError, KeyError)):
        found(constraints=[5])
    with pytest.raises(ValueError):
        found(constraints={"type": "maybe", "fun": bowl})


def test_callbacks_of_both_manners_end_the_search():
    seen = []

    def stop(intermediate_result):
        seen.append(intermediate_result.fun)
        if len(seen) == 5:
            raise StopIteration

    assert found(callback=stop).status == 99 and len(seen) == 5
    assert found(callback=lambda xk: xk.shape == (2,)).nfev == 2


def test_whole_variables():
    result = found(options={"integrality": [True, False], "budget": 20})
    assert all(float(x[0]).is_integer() for x in result.x_iters)
