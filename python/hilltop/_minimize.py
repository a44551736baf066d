"""The least value of a function, in SciPy's manner."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._space import Space
from ._study import Study, Trial

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ._history import Proposes

#: What the objective is called in the journal.
OBJECTIVE = "value"


class Result(dict[str, Any]):
    """What a search found: a dict whose keys are attributes too, like SciPy's ``OptimizeResult``.

    ``x``, ``fun``: the best point and its value; ``success``, ``status``, ``message``: why it ended; ``nfev``, ``nit``: how many
    evaluations; ``maxcv``: how far the point breaks the constraints, where there are any; ``x_iters``, ``func_vals``: every
    point that was evaluated and its value, NaN where it failed; ``study``: the study itself.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        hidden = ("x_iters", "func_vals", "study")
        width = max(map(len, self), default=0)
        return "\n".join(f"{key:>{width}}: {value!r}" for key, value in self.items() if key not in hidden)


def minimize(
    f: Callable[[Any], Any],
    space: Space,
    *,
    budget: int = 100,
    constraints: Any = None,
    known: Sequence[str] = (),
    physics: str | Sequence[str] | Mapping[str, Any] | None = None,
    method: str | Mapping[str, Any] | Proposes = "auto",
    parallel: int = 1,
    seed: int = 0,
    callback: Callable[[Result], Any] | None = None,
    noisy: bool = False,
    store: str | os.PathLike[str] | None = None,
    catch: Any = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Result:
    """Finds the least value of a function of a box or a space.

    >>> import hilltop
    >>> found = hilltop.minimize(
    ...     lambda p: (p["x"] - 0.2) ** 2 + (p["kind"] == "b"),
    ...     {"x": hilltop.real(0, 1), "kind": ["a", "b"]},
    ...     budget=25, known=["x <= 0.9"], seed=3,
    ... )
    >>> found.x["kind"], found.fun < 0.01, found.nfev
    ('a', True, 25)

    ``space``: a list of ``(low, high)``, and ``f`` takes an array; or a dict of parameters, and ``f`` takes a dict.
    ``constraints``: what is not known before an evaluation: functions of the same argument that must be ``<= 0``, one, a list
    or by name; or limits by name, ``{"stress": {"max": 250}}``, of what ``f`` reports by returning ``value, {"stress": 240}``.
    ``known``: relations of the inputs that no evaluation violates. ``physics``: an equation that ``f`` obeys, as in
    :class:`Study`. ``callback(result)`` is called after every evaluation and ends the search by a true value or
    ``StopIteration``. With ``store`` the search survives being killed: call it again. Everything else is as in
    :meth:`Study.optimize`.
    """
    limits, functions = _constraints(constraints)
    study = Study(
        space,
        outputs={OBJECTIVE: "minimize", **limits},
        known=known,
        physics=physics,
        method=method,
        seed=seed,
        budget=budget,
        parallel=parallel,
        noisy=noisy,
        store=store,
    )
    objective = _Constrained(f, functions) if functions else f
    ended: list[bool] = []

    def after(study: Study, trial: Trial) -> bool:
        if callback is None:
            return False
        try:
            stop = bool(callback(_result(study, constrained=bool(limits), ended=False)))
        except StopIteration:
            stop = True
        ended.extend([True] * stop)
        return stop

    heard = None if callback is None else after
    study.optimize(objective, callback=heard, catch=catch, executor=executor, progress=progress)
    return _result(study, constrained=bool(limits), ended=bool(ended))


class _Constrained:
    """A function with its constraints, each evaluated at the same point."""

    def __init__(self, f: Callable[[Any], Any], functions: dict[str, Callable[[Any], Any]]) -> None:
        self.f = f
        self.functions = functions

    def __call__(self, point: Any) -> Any:
        returned = self.f(point)
        if returned is None:
            return None
        values = {name: function(point) for name, function in self.functions.items()}
        if isinstance(returned, Mapping):
            return {**returned, **values}
        if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping):
            return returned[0], {**returned[1], **values}
        return returned, values


def _constraints(given: Any) -> tuple[dict[str, Any], dict[str, Callable[[Any], Any]]]:
    if given is None:
        return {}, {}
    if callable(given):
        given = [given]
    if not isinstance(given, Mapping):
        given = {f"c{place + 1}": function for place, function in enumerate(given)}
    limits: dict[str, Any] = {}
    functions: dict[str, Callable[[Any], Any]] = {}
    for name, constraint in given.items():
        if callable(constraint):
            functions[name] = constraint
            limits[name] = {"max": 0}
        elif isinstance(constraint, Mapping):
            limits[name] = constraint
        else:
            raise TypeError(f"constraints: {name} is {constraint!r}: a function or limits such as {{'max': 250}} are needed")
    return limits, functions


def _result(study: Study, *, constrained: bool, ended: bool) -> Result:
    best = study.best
    settled = [trial for trial in study.trials if trial.state in ("complete", "failed")]
    point: Callable[[Any], Any] = (lambda p: list(p.values())) if study._box else (lambda p: p)
    failed = sum(trial.state == "failed" for trial in settled)
    result = Result(
        x=None if best is None else (best.x if study._box else best.parameters),
        fun=float("nan") if best is None else best.value,
        success=best is not None and best.feasible,
        status=0,
        message="the budget is spent",
        nfev=len(settled),
        nit=len(settled),
        nfail=failed,
    )
    if constrained:
        result["maxcv"] = float("nan") if best is None else _violation(study, best.outputs)
    result["x_iters"] = [point(trial.parameters) for trial in settled]
    result["func_vals"] = [
        trial.outputs[OBJECTIVE] if trial.outputs is not None else float("nan") for trial in settled
    ]
    result["study"] = study
    if best is None:
        reasons = [trial.reason for trial in settled if trial.reason]
        last = f"; the last: {reasons[-1]}" if reasons else ""
        result.update(status=2, message=f"all {len(settled)} evaluations failed{last}")
    elif not best.feasible:
        result.update(status=3, message="no evaluation kept every constraint")
    elif ended:
        result.update(status=1, message="the callback ended the search")
    return result


def _violation(study: Study, outputs: dict[str, float]) -> float:
    worst = 0.0
    for name, goal in study._description["outputs"].items():
        value = outputs[name]
        worst = max(worst, value - goal.get("max", value), goal.get("min", value) - value)
    return worst
