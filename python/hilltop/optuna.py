"""Optuna: a sampler, and studies that travel both ways.

>>> import optuna
>>> from hilltop.optuna import HilltopSampler
>>> study = optuna.create_study(sampler=HilltopSampler(seed=1))
>>> study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=15)
>>> study.best_value < 0.5
True
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from . import _native
from ._study import Study as HilltopStudy
from ._study import _json
from .errors import ExhaustedError, StatementError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["HilltopSampler", "export", "import_study"]

_logger = optuna.logging.get_logger(__name__)
_SETTLED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
_MEMORY = "hilltop:memory"
#: What fits into a system attribute of every storage.
_ROOM = 2000


class HilltopSampler(BaseSampler):
    """Suggests by a method of Hilltop.

    Parameters that every trial has are modelled together; those of a branch are modelled among the trials of that
    branch. Failed trials are told to the method as failures, pruned ones count as no better than the median at their
    time, running ones are under way. A suggestion depends on the seed, the trial's number and the finished trials, so a
    study that is continued by another process goes on as it would have.

    ``method``: as in :class:`hilltop.Study`. ``n_startup_trials``: so many trials are drawn at random before the method is
    asked; by default the method's own design is used. ``constraints_func``: as in Optuna's samplers; ``trial.set_constraint``
    needs nothing.
    """

    def __init__(
        self,
        *,
        method: str | Mapping[str, Any] = "auto",
        seed: int | None = None,
        n_startup_trials: int | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
    ) -> None:
        self._method = {"name": method} if isinstance(method, str) else dict(method)
        _native.check_method(json.dumps(self._method))
        self._seed = int.from_bytes(os.urandom(7), "little") if seed is None else int(seed) % 2**63
        self._n_startup_trials = n_startup_trials
        self._constraints_func = constraints_func
        self._independent_sampler = independent_sampler
        self._warn_independent_sampling = warn_independent_sampling
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._spaces: dict[Any, IntersectionSearchSpace] = {}
        self._advisors: dict[str, _Advised] = {}
        self._branches: dict[Any, dict[str, Any]] = {}
        self._warned: set[str] = set()

    def __getstate__(self) -> dict[str, Any]:
        fleeting = ("_lock", "_process", "_spaces", "_advisors", "_branches", "_warned")
        return {key: value for key, value in self.__dict__.items() if key not in fleeting}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def _here(self) -> None:
        """A forked process has none of its parent's threads and locks."""
        if self._process != os.getpid():
            self._begin()

    def reseed_rng(self) -> None:
        self._seed = (self._seed * 6364136223846793005 + 1442695040888963407) % 2**63
        if self._independent_sampler is not None:
            self._independent_sampler.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        self._here()
        with self._lock:
            space = self._spaces.setdefault(_key(study), IntersectionSearchSpace(include_pruned=True))
            found = space.calculate(study)
        return {name: found[name] for name in sorted(found) if not found[name].single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        self._raise_error_if_multi_objective(study)
        self._here()
        if not search_space or self._is_startup(study):
            return {}
        return self._suggested(study, trial, search_space)

    def _is_startup(self, study: Study) -> bool:
        if not self._n_startup_trials:
            return False
        finished = study._get_trials(deepcopy=False, states=_SETTLED, use_cache=True)
        return len(finished) < self._n_startup_trials

    def _suggested(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        axes = {name: _Axis(distribution) for name, distribution in search_space.items()}
        try:
            with self._lock:
                trials = study._get_trials(deepcopy=False, use_cache=False)
                described = _json(self._described(study, trials, axes))
                advised = self._advisors.get(described) or _Advised(described, trials)
                self._advisors[described] = advised
                values, memory = advised.suggest(study, trial, trials, axes)
        except ExhaustedError:
            return {name: self._random(study, trial, name, search_space[name]) for name in search_space}
        except StatementError as error:
            self._warn(f"{', '.join(search_space)} cannot be modelled, so they are drawn at random: {error}")
            return {}
        if memory is not None and len(memory) < _ROOM:
            study._storage.set_trial_system_attr(trial._trial_id, _MEMORY, memory)
        return values

    def _described(self, study: Study, trials: list[FrozenTrial], axes: dict[str, _Axis]) -> dict[str, Any]:
        maximised = study.direction == StudyDirection.MAXIMIZE
        limits = sorted({key for trial in trials for key in _constraints(trial)})
        return {
            "name": study.study_name,
            "seed": self._seed,
            "method": self._method,
            "parameters": {name: axis.described for name, axis in axes.items()},
            "outputs": {
                "value": {"maximize" if maximised else "minimize": True},
                **{f"constraint {key}": {"max": 0} for key in limits},
            },
        }

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        self._raise_error_if_multi_objective(study)
        self._here()
        drawn = self._branches.get((_key(study), trial.number), {})
        if param_name not in drawn and not param_distribution.single() and not self._is_startup(study):
            branch = self._branch(study, trial, param_name, param_distribution)
            if branch:
                drawn = {**drawn, **self._suggested(study, trial, branch)}
                self._branches[(_key(study), trial.number)] = drawn
        if param_name in drawn and param_distribution._contains(
            param_distribution.to_internal_repr(drawn[param_name])
        ):
            return drawn[param_name]
        return self._random(study, trial, param_name, param_distribution)

    def _branch(
        self, study: Study, trial: FrozenTrial, name: str, distribution: BaseDistribution
    ) -> dict[str, BaseDistribution]:
        """The parameters that always stand beside this one and have not been suggested; none where little is known."""
        finished = study._get_trials(deepcopy=False, states=_SETTLED, use_cache=True)
        having = [other for other in finished if name in other.params]
        if len(having) < 2:
            return {}
        names = set.intersection(*(set(other.params) for other in having)) - set(trial.params)
        found = {other: having[-1].distributions[other] for other in sorted(names)}
        found[name] = distribution
        relative = self._spaces.get(_key(study))
        known = set() if relative is None else set(relative.calculate(study))
        return {
            other: dist for other, dist in found.items() if other == name or (other not in known and not dist.single())
        }

    def _random(self, study: Study, trial: FrozenTrial, name: str, distribution: BaseDistribution) -> Any:
        if self._independent_sampler is not None:
            return self._independent_sampler.sample_independent(study, trial, name, distribution)
        digest = hashlib.sha256(f"{self._seed}:{trial.number}:{name}".encode()).digest()
        source = RandomSampler(seed=int.from_bytes(digest[:4], "little"))
        return source.sample_independent(study, trial, name, distribution)

    def _warn(self, message: str) -> None:
        if self._warn_independent_sampling and message not in self._warned:
            self._warned.add(message)
            _logger.warning(message)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        if self._independent_sampler is not None:
            self._independent_sampler.before_trial(study, trial)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        self._branches.pop((_key(study), trial.number), None)
        if self._constraints_func is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            limits = tuple(float(value) for value in self._constraints_func(trial))
            if any(math.isnan(value) for value in limits):
                raise ValueError("constraints_func returned NaN")
            study._storage.set_trial_system_attr(trial._trial_id, "constraints", limits)
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)


class _Axis:
    """A distribution as a parameter of Hilltop: values go in and come out again."""

    def __init__(self, distribution: BaseDistribution) -> None:
        self.distribution = distribution
        self.low = 0.0
        self.step: float | None = None
        if isinstance(distribution, CategoricalDistribution):
            self.described: dict[str, Any] = {"choice": list(range(len(distribution.choices)))}
        elif isinstance(distribution, (IntDistribution, FloatDistribution)):
            self.described = self._numeric(distribution)
        else:
            raise StatementError(f"the distribution {distribution!r} is not known")

    def _numeric(self, distribution: IntDistribution | FloatDistribution) -> dict[str, Any]:
        whole = isinstance(distribution, IntDistribution)
        stepped = distribution.step is not None and not distribution.log and (not whole or distribution.step != 1)
        if stepped and distribution.step is not None:
            self.low, self.step = distribution.low, distribution.step
            levels = round((distribution.high - distribution.low) / distribution.step)
            return {"int": [0, levels]}
        described = {"int" if whole else "float": [distribution.low, distribution.high]}
        return {**described, "log": True} if distribution.log else described

    def takes(self, trial: FrozenTrial, name: str) -> bool:
        """Whether a trial has this parameter, of the same kind and in its range."""
        own = trial.distributions.get(name)
        if name not in trial.params or type(own) is not type(self.distribution):
            return False
        if isinstance(own, CategoricalDistribution) and own != self.distribution:
            return False
        return self.distribution._contains(self.distribution.to_internal_repr(trial.params[name]))

    def inward(self, value: Any) -> Any:
        if isinstance(self.distribution, CategoricalDistribution):
            return int(self.distribution.to_internal_repr(value))
        if self.step is not None:
            return round((value - self.low) / self.step)
        return int(value) if isinstance(self.distribution, IntDistribution) else float(value)

    def outward(self, value: Any) -> Any:
        if self.step is not None:
            value = self.low + value * self.step
        return self.distribution.to_external_repr(self._inside(value))

    def _inside(self, value: float) -> float:
        if isinstance(self.distribution, (IntDistribution, FloatDistribution)):
            return float(min(max(value, self.distribution.low), self.distribution.high))
        return value


class _Advised:
    """An advisor and what it has been told."""

    def __init__(self, described: str, trials: list[FrozenTrial]) -> None:
        self.advisor = _native.Advisor(described)
        self.outputs = list(json.loads(described)["outputs"])
        self.maximised = "maximize" in json.loads(described)["outputs"]["value"]
        self.print = hashlib.sha256(described.encode()).hexdigest()[:16]
        self.told: list[int] = []
        self.values: list[float] = []
        self.worst: dict[str, float] = {}
        self.given: dict[int, dict[str, Any]] = {}
        self._recall(trials)

    def _recall(self, trials: list[FrozenTrial]) -> None:
        for trial in reversed(trials):
            stored = trial.system_attrs.get(_MEMORY)
            if isinstance(stored, str):
                memory = json.loads(stored)
                if memory["of"] == self.print:
                    self.advisor.remember(json.dumps(memory["memory"]))
                    return

    def suggest(
        self, study: Study, trial: FrozenTrial, trials: list[FrozenTrial], axes: dict[str, _Axis]
    ) -> tuple[dict[str, Any], str | None]:
        whole = [other for other in trials if all(axis.takes(other, name) for name, axis in axes.items())]
        settled = [other for other in whole if other.state in _SETTLED]
        settled.sort(key=lambda other: (other.datetime_complete, other.number))
        numbers = [other.number for other in settled]
        if numbers[: len(self.told)] != self.told:
            self.advisor.forget()
            self.told, self.values, self.worst = [], [], {}
        for other in settled[len(self.told) :]:
            self._tell(other, axes)
        # What another thread was given a moment ago is not in the storage yet.
        running = {other.number for other in trials if other.state == TrialState.RUNNING} - {trial.number}
        self.given = {number: point for number, point in self.given.items() if number in running}
        stored = {other.number: _inward(other, axes) for other in whole if other.number in running}
        found, memory = self.advisor.suggest(trial.number, sorted((self.given | stored).items()))
        self.given[trial.number] = dict(found)
        values = {name: axis.outward(found[name]) for name, axis in axes.items()}
        kept = None if memory is None else json.dumps({"of": self.print, "memory": json.loads(memory)})
        return values, kept

    def _tell(self, trial: FrozenTrial, axes: dict[str, _Axis]) -> None:
        self.told.append(trial.number)
        point = _inward(trial, axes)
        value = self._value(trial)
        if value is None:
            reason = str(trial.system_attrs.get("fail_reason", "failed"))
            self.advisor.fail(trial.number, point, reason)
            return
        if trial.state == TrialState.COMPLETE:
            self.values.append(value)
        constraints = _constraints(trial)
        outputs = {"value": value}
        for name in self.outputs[1:]:
            limit = constraints.get(name.removeprefix("constraint "), self.worst.get(name, 1.0))
            limit = limit if math.isfinite(limit) else math.copysign(1e9, limit)
            self.worst[name] = max(limit, self.worst.get(name, limit))
            outputs[name] = limit
        self.advisor.observe(trial.number, point, outputs)

    def _value(self, trial: FrozenTrial) -> float | None:
        """What a trial is worth; ``None`` where it failed."""
        sign = -1.0 if self.maximised else 1.0
        if trial.state == TrialState.COMPLETE and trial.value is not None:
            if math.isfinite(trial.value):
                return trial.value
            # Infinitely good is as good as the best; infinitely bad is a failure.
            good = sign * trial.value < 0
            return min(self.values, key=lambda value: sign * value) if good and self.values else None
        if trial.state != TrialState.PRUNED:
            return None
        return self._pruned(trial, sign)

    def _pruned(self, trial: FrozenTrial, sign: float) -> float | None:
        """The last value that was reported, and no better than the median of those complete before."""
        ranked = sorted(sign * value for value in self.values)
        if not ranked:
            return None
        median = ranked[len(ranked) // 2]
        last = trial.intermediate_values.get(trial.last_step) if trial.last_step is not None else None
        if last is None or not math.isfinite(last):
            return sign * ranked[-1]
        return sign * max(median, sign * last)


def _inward(trial: FrozenTrial, axes: dict[str, _Axis]) -> dict[str, Any]:
    return {name: axis.inward(trial.params[name]) for name, axis in axes.items()}


def _key(study: Study) -> Any:
    return study._study_id, study.study_name


def _constraints(trial: FrozenTrial) -> dict[str, float]:
    """The constraints of a trial, in the manner of version 5 or the older one."""
    if hasattr(trial, "constraints"):
        return trial.constraints
    listed = trial.system_attrs.get("constraints") or ()
    return {str(place): value for place, value in enumerate(listed)}


def export(study: HilltopStudy, path: str | os.PathLike[str], *, study_name: str | None = None) -> Study:
    """Writes a study of Hilltop as a journal of Optuna, which optuna-dashboard opens, and gives it back.

    Limits become constraints, failures become failed trials with their ``reason`` as an attribute.
    """
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    described = study.description
    goals = described["outputs"]
    maximised = "maximize" in goals[study._objective]
    direction = StudyDirection.MAXIMIZE if maximised else StudyDirection.MINIMIZE
    storage = JournalStorage(JournalFileBackend(os.fspath(path)))
    exported = optuna.create_study(
        storage=storage, study_name=study_name or described["name"], direction=direction
    )
    parameters = described.get("parameters", {})
    distributions = {name: _distribution(table) for name, table in parameters.items()}
    for trial in study.trials:
        if trial.parameters is None or trial.state not in ("complete", "failed"):
            continue
        exported.add_trial(_exported(trial, distributions, goals, study._objective))
    return exported


def _exported(trial: Any, distributions: dict[str, BaseDistribution], goals: dict[str, Any], objective: str) -> FrozenTrial:
    attributes: dict[str, Any] = {"hilltop trial": trial.number}
    if trial.reason is not None:
        attributes["reason"] = trial.reason
    outputs = trial.outputs or {}
    attributes.update({name: value for name, value in outputs.items() if name != objective})
    limits: dict[str, float] = {}
    for name, goal in goals.items():
        if name in outputs and "max" in goal:
            limits[f"{name} max"] = outputs[name] - goal["max"]
        if name in outputs and "min" in goal:
            limits[f"{name} min"] = goal["min"] - outputs[name]
    system: dict[str, Any] = {f"constraints:{key}": value for key, value in limits.items()}
    if limits and not hasattr(FrozenTrial, "constraints"):
        system = {"constraints": list(limits.values())}
    return optuna.trial.create_trial(
        state=TrialState.COMPLETE if trial.state == "complete" else TrialState.FAIL,
        value=outputs.get(objective),
        params=trial.parameters,
        distributions={name: distributions[name] for name in trial.parameters},
        user_attrs=attributes,
        system_attrs=system,
    )


def _distribution(table: dict[str, Any]) -> BaseDistribution:
    if "float" in table:
        low, high = table["float"]
        return FloatDistribution(low, high, log=table.get("log", False), step=table.get("step"))
    if "int" in table:
        low, high = table["int"]
        return IntDistribution(low, high, log=table.get("log", False))
    return CategoricalDistribution(table.get("choice") or table.get("ordered") or [table["value"]])


def import_study(study: Study, **arguments: Any) -> HilltopStudy:
    """A study of Hilltop with the finished trials of a study of Optuna; ``arguments`` as in :class:`hilltop.Study`.

    The space is that of the parameters which every finished trial has. Constraints become outputs with a limit of 0.
    """
    if study._is_multi_objective():
        raise ValueError("a study of several objectives cannot be imported")
    trials = study.get_trials(deepcopy=False, states=_SETTLED)
    having = [trial for trial in trials if trial.params]
    if not having:
        raise ValueError("the study has no finished trial, so its space is not known")
    names = sorted(set.intersection(*(set(trial.params) for trial in having)))
    latest = {name: having[-1].distributions[name] for name in names}
    limits = sorted({key for trial in trials for key in _constraints(trial)})
    goal = "maximize" if study.direction == StudyDirection.MAXIMIZE else "minimize"
    outputs: dict[str, Any] = {"value": goal, **{key: {"max": 0} for key in limits}}
    arguments.setdefault("name", study.study_name)
    imported = HilltopStudy({name: _table(latest[name]) for name in names}, outputs=outputs, **arguments)
    for trial in having:
        _imported(imported, trial, names, limits)
    return imported


def _imported(study: HilltopStudy, trial: FrozenTrial, names: list[str], limits: list[str]) -> None:
    point = {name: _option(trial.params[name], trial.distributions[name]) for name in names}
    constraints = _constraints(trial)
    values = {"value": trial.value, **{key: constraints.get(key) for key in limits}}
    numbers = {key: value for key, value in values.items() if value is not None and math.isfinite(value)}
    if trial.state == TrialState.COMPLETE and len(numbers) == len(values):
        study.add(point, numbers)
    elif trial.state == TrialState.FAIL:
        study.add(point, failed=str(trial.user_attrs.get("reason", "failed")))


def _table(distribution: BaseDistribution) -> dict[str, Any]:
    if distribution.single():
        return {"value": _option(distribution.to_external_repr(_only(distribution)), distribution)}
    if isinstance(distribution, CategoricalDistribution):
        return {"choice": [_option(choice, distribution) for choice in distribution.choices]}
    if isinstance(distribution, IntDistribution):
        if distribution.step == 1:
            table: dict[str, Any] = {"int": [distribution.low, distribution.high]}
            return {**table, "log": True} if distribution.log else table
        return {"ordered": list(range(distribution.low, distribution.high + 1, distribution.step))}
    if isinstance(distribution, FloatDistribution):
        table = {"float": [distribution.low, distribution.high]}
        if distribution.step is not None:
            table["step"] = distribution.step
        return {**table, "log": True} if distribution.log else table
    raise ValueError(f"the distribution {distribution!r} is not known")


def _only(distribution: BaseDistribution) -> float:
    return 0.0 if isinstance(distribution, CategoricalDistribution) else float(distribution.low)  # type: ignore[attr-defined]


def _option(value: Any, distribution: BaseDistribution) -> Any:
    """A value as Hilltop has them: other objects by their text."""
    if isinstance(distribution, CategoricalDistribution) and not isinstance(value, (bool, int, float, str)):
        return str(value)
    return value
