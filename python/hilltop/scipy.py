"""SciPy: a ``method`` for ``scipy.optimize.minimize``.

>>> from scipy.optimize import minimize
>>> from hilltop.scipy import hilltop
>>> found = minimize(lambda x: (x[0] - 1) ** 2 + x[1] ** 2, [0, 0], method=hilltop, bounds=[(-2, 2), (-2, 2)],
...                  options={"budget": 30, "seed": 1})
>>> bool(found.fun < 0.01)
True
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, OptimizeResult

from ._outcome import number
from ._study import Study, Trial

__all__ = ["hilltop"]


def hilltop(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    bounds: Any = None,
    constraints: Any = (),
    callback: Callable[..., Any] | None = None,
    budget: int | None = None,
    maxiter: int | None = None,
    maxfev: int | None = None,
    seed: int = 0,
    hilltop_method: Any = "auto",
    noisy: bool = False,
    store: Any = None,
    integrality: Any = None,
    **_others: Any,
) -> Any:
    """Minimises a function within bounds, for ``method=`` of ``scipy.optimize.minimize``.

    ``x0`` is evaluated first, where it lies within the bounds. Linear constraints without equalities are known ones: no
    evaluation violates them. Others are learnt. ``options``: ``budget`` (or ``maxfev``, ``maxiter``), by default 20 evaluations a
    dimension and at least 50; ``seed``; ``hilltop_method``; ``noisy``; ``store``; ``integrality``, true where a variable is whole.
    Gradients are not used.
    """
    start = np.atleast_1d(np.asarray(x0, dtype=float)).ravel()
    low, high = _bounds(bounds, len(start))
    whole = np.broadcast_to(False if integrality is None else np.asarray(integrality, dtype=bool), start.shape)
    known, learnt = _constraints(constraints, args, len(start))
    spent = budget or maxfev or maxiter or max(50, 20 * len(start))
    study = Study(
        {f"x{k + 1}": _parameter(low[k], high[k], bool(whole[k])) for k in range(len(start))},
        outputs={"value": "minimize", **{name: {"max": 0} for name in learnt}},
        known=known,
        method=hilltop_method,
        seed=seed,
        budget=spent,
        noisy=noisy,
        store=store,
    )
    tell_callback = _callback(callback, study)

    def evaluate(point: Any) -> dict[str, Any]:
        x = np.array([point[name] for name in study._names], dtype=float)
        return {"value": _value(fun(x, *args)), **{name: limit(x) for name, limit in learnt.items()}}

    if ((start >= low) & (start <= high)).all():
        _evaluate_first(study, start, evaluate)
    ended: list[Trial] = []

    def after(study: Study, trial: Trial) -> bool:
        if tell_callback():
            ended.append(trial)
        return bool(ended)

    left = spent - len(study.trials)
    if left > 0:
        study.optimize(evaluate, trials=left, callback=after, progress=False)
    return _result(study, learnt, bool(ended))


def _value(returned: Any) -> float:
    return number(returned, "fun")


def _parameter(low: float, high: float, whole: bool) -> dict[str, Any]:
    if low == high:
        return {"value": int(low) if whole else low}
    if whole:
        return {"int": [math.ceil(low), math.floor(high)]}
    return {"float": [low, high]}


def _evaluate_first(study: Study, start: Any, evaluate: Callable[[Any], dict[str, Any]]) -> None:
    """The user's own point counts as a trial, where it is one of the space and the study is new."""
    if len(study.trials):
        return
    kinds = study.description["parameters"]
    values = [int(round(x)) if "int" in kinds[name] else float(x) for name, x in zip(study._names, start)]
    try:
        outputs = evaluate(dict(zip(study._names, values)))
        if all(math.isfinite(value) for value in outputs.values()):
            study.add(values, outputs)
    except (ValueError, ArithmeticError):
        # A point that fails, or that a known relation forbids, is no result.
        return


def _bounds(bounds: Any, dimension: int) -> tuple[Any, Any]:
    if bounds is None:
        raise ValueError("bounds are needed: bounds=[(low, high), …] or scipy.optimize.Bounds")
    if isinstance(bounds, Bounds):
        low, high = np.broadcast_to(bounds.lb, dimension), np.broadcast_to(bounds.ub, dimension)
    else:
        pairs = [(-math.inf if a is None else a, math.inf if b is None else b) for a, b in bounds]
        low, high = np.array(pairs, dtype=float).reshape(-1, 2).T
    if len(low) != dimension:
        raise ValueError(f"there are {len(low)} bounds for {dimension} variables")
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise ValueError("every variable needs a lower and an upper bound, both finite")
    return low, high


def _constraints(
    given: Any, args: tuple[Any, ...], dimension: int
) -> tuple[list[str], dict[str, Callable[[Any], float]]]:
    """The linear inequalities as known relations, and the others as functions that must be ``<= 0``."""
    single = isinstance(given, (Mapping, LinearConstraint, NonlinearConstraint))
    listed: Sequence[Any] = [given] if single else list(given or ())
    known: list[str] = []
    learnt: dict[str, Callable[[Any], float]] = {}
    for place, constraint in enumerate(listed):
        if isinstance(constraint, LinearConstraint):
            known.extend(_relations(constraint, dimension))
        elif isinstance(constraint, NonlinearConstraint):
            learnt[f"c{place + 1}"] = _between(constraint)
        elif isinstance(constraint, Mapping):
            learnt[f"c{place + 1}"] = _old(constraint)
        else:
            raise TypeError(f"constraint {place} is {constraint!r}: LinearConstraint, NonlinearConstraint or a dict is needed")
    return known, learnt


def _relations(constraint: Any, dimension: int) -> list[str]:
    rows = np.atleast_2d(np.asarray(constraint.A.toarray() if hasattr(constraint.A, "toarray") else constraint.A))
    if rows.shape[1] != dimension:
        raise ValueError(f"a linear constraint has {rows.shape[1]} columns for {dimension} variables")
    low, high = np.broadcast_to(constraint.lb, len(rows)), np.broadcast_to(constraint.ub, len(rows))
    found: list[str] = []
    for row, least, most in zip(rows, low, high):
        text = " + ".join(f"({float(a)!r}) * x{k + 1}" for k, a in enumerate(row) if a != 0)
        if not text:
            continue
        if least == most:
            found.append(f"{text} == {float(least)!r}")
            continue
        found.extend([f"{text} >= {float(least)!r}"] if np.isfinite(least) else [])
        found.extend([f"{text} <= {float(most)!r}"] if np.isfinite(most) else [])
    return found


def _between(constraint: Any) -> Callable[[Any], float]:
    def violation(x: Any) -> float:
        value = np.atleast_1d(constraint.fun(x)).astype(float)
        above, below = value - constraint.ub, constraint.lb - value
        return float(np.max(np.maximum(above, below)))

    return violation


def _old(constraint: Mapping[str, Any]) -> Callable[[Any], float]:
    """SciPy's dictionaries want ``fun >= 0``; ``eq`` is met within 1e-4."""
    kind, function, extra = str(constraint["type"]).lower(), constraint["fun"], constraint.get("args", ())
    if kind == "ineq":
        return lambda x: float(np.max(-np.atleast_1d(function(x, *extra)).astype(float)))
    if kind == "eq":
        return lambda x: float(np.max(np.abs(np.atleast_1d(function(x, *extra)).astype(float)))) - 1e-4
    raise ValueError(f"a constraint has type {kind!r}: 'ineq' or 'eq' is needed")


def _callback(callback: Callable[..., Any] | None, study: Study) -> Callable[[], bool]:
    """The user's callback in either of SciPy's manners; true when the search shall end."""
    if callback is None:
        return lambda: False
    try:
        named = list(inspect.signature(callback).parameters) == ["intermediate_result"]
    except (TypeError, ValueError):
        named = False

    def call() -> bool:
        best = study.best
        if best is None:
            return False
        try:
            if named:
                return bool(callback(intermediate_result=OptimizeResult(x=best.x, fun=best.value)))
            return bool(callback(best.x))
        except StopIteration:
            return True

    return call


def _result(study: Study, learnt: dict[str, Any], ended: bool) -> Any:
    best, trials = study.best, study.trials
    result = OptimizeResult(
        x=None if best is None else np.asarray(best.x, dtype=float),
        fun=math.nan if best is None else best.value,
        success=best is not None and best.feasible and not ended,
        status=0,
        message="the budget is spent",
        nfev=len(trials),
        nit=len(trials),
        x_iters=[list((trial.parameters or {}).values()) for trial in trials],
        func_vals=[(trial.outputs or {}).get("value", math.nan) for trial in trials],
        study=study,
    )
    if learnt:
        limits = [] if best is None else [best.outputs[name] for name in learnt]
        result["maxcv"] = max([0.0, *limits])
    if best is None:
        result.update(status=2, message="every evaluation failed")
    elif not best.feasible:
        result.update(status=3, message="no evaluation kept every constraint")
    elif ended:
        result.update(status=99, message="`callback` raised `StopIteration` or returned true")
    return result
