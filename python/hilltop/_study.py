"""A study: ask and tell, or let it evaluate; in memory or in a file that the command line reads too."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _native
from ._arrays import array
from ._html import study_html, trials_html
from ._model import Model
from ._outcome import number
from ._space import Space, parameters, plain
from .errors import OutputError, StatementError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ._history import Proposes


class Asked(NamedTuple):
    """A point that wants to be evaluated."""

    trial: int
    parameters: dict[str, Any]

    @property
    def x(self) -> Any:
        """The values alone, in the order of the space: an array."""
        return array(self.parameters.values())


class Best(NamedTuple):
    """The best trial so far."""

    trial: int
    parameters: dict[str, Any]
    outputs: dict[str, float]
    feasible: bool
    value: float

    @property
    def x(self) -> Any:
        """The values alone, in the order of the space: an array."""
        return array(self.parameters.values())


class Trial(NamedTuple):
    """What is known of a trial: ``state`` is ``running``, ``complete`` or ``failed``."""

    number: int
    state: str
    parameters: dict[str, Any] | None
    outputs: dict[str, float] | None
    reason: str | None
    seconds: float | None
    added: bool


class Trials(Sequence[Trial]):
    """The trials of a study in the order of their numbers."""

    def __init__(self, trials: list[Trial], names: list[str], outputs: list[str]) -> None:
        self._trials = trials
        self._names = names
        self._outputs = outputs

    @overload
    def __getitem__(self, place: int) -> Trial: ...
    @overload
    def __getitem__(self, place: slice) -> Trials: ...
    def __getitem__(self, place: int | slice) -> Trial | Trials:
        if isinstance(place, slice):
            return Trials(self._trials[place], self._names, self._outputs)
        return self._trials[place]

    def __len__(self) -> int:
        return len(self._trials)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self._trials)

    def __repr__(self) -> str:
        return f"<{len(self)} trials>"

    def columns(self) -> dict[str, list[Any]]:
        """Number, state, a column a parameter and an output, seconds and reason; ``None`` where there is nothing."""
        table: dict[str, list[Any]] = {
            "trial": [trial.number for trial in self],
            "state": [trial.state for trial in self],
        }
        twice = {"trial", "state", "seconds", "reason"} | (set(self._names) & set(self._outputs))
        for name in self._names:
            column = f"parameter.{name}" if name in twice else name
            table[column] = [(trial.parameters or {}).get(name) for trial in self]
        for name in self._outputs:
            column = f"output.{name}" if name in twice else name
            table[column] = [(trial.outputs or {}).get(name) for trial in self]
        table["seconds"] = [trial.seconds for trial in self]
        table["reason"] = [trial.reason for trial in self]
        return table

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``."""
        import pandas

        return pandas.DataFrame(self.columns())

    def to_polars(self) -> Any:
        """A ``polars.DataFrame``."""
        import polars

        return polars.DataFrame(self.columns(), strict=False)

    def _repr_html_(self) -> str:
        return trials_html(self.columns())


class Study:
    """A study of a space.

    >>> import hilltop
    >>> study = hilltop.Study({"rate": hilltop.real(1e-4, 1, log=True), "layers": hilltop.integer(1, 8)}, seed=7)
    >>> asked = study.ask()
    >>> study.tell(asked, abs(asked.parameters["rate"] - 0.1))
    >>> study.best.trial
    0

    ``space``: a dict of parameters, a list of ``(low, high)``, or the path of a study file. ``outputs``: what an evaluation
    reports, ``{"cost": "minimize", "stress": {"max": 250}}``; by default one ``value`` to be minimised. ``known``: relations
    of the inputs, ``["length * ratio <= 32"]``. ``physics``: an equation that the objective ``f`` obeys,
    ``"d(f,x,x) + d(f,y,y) = 0"``, a list of them, or the section ``[physics]`` of a study file as a dict. ``method``: a
    name, a table with a name and settings, what :func:`hilltop.compose` gives, or an object with ``propose(history)``.
    ``store``: a file; it is continued where it exists, and ``hilltop run``, ``show`` and ``report`` of the command line
    work on it too.
    """

    def __init__(
        self,
        space: Space | str | os.PathLike[str],
        *,
        outputs: Mapping[str, str | Mapping[str, Any]] | str | None = None,
        known: Sequence[str] = (),
        physics: str | Sequence[str] | Mapping[str, Any] | None = None,
        method: str | Mapping[str, Any] | Proposes = "auto",
        seed: int = 0,
        budget: int | None = None,
        parallel: int = 1,
        noisy: bool = False,
        asynchronous: bool = False,
        name: str = "study",
        store: str | os.PathLike[str] | None = None,
        _events: list[str] | None = None,
    ) -> None:
        self._arguments: dict[str, Any] | None = None
        store = None if store is None else os.path.abspath(store)
        if isinstance(space, (str, os.PathLike)):
            self._begin(_native.Study.from_file(space, store), False)
            self._arguments = {"file": os.path.abspath(space), "store": store}
            return
        table, box = parameters(space)
        described: dict[str, Any] = {
            "name": name,
            "seed": _count("seed", seed, 0, 2**63 - 1),
            "parallel": _count("parallel", parallel, 1, 1024),
            "noisy": bool(noisy),
            "asynchronous": bool(asynchronous),
            "parameters": table,
            "outputs": _outputs(outputs),
        }
        if budget is not None:
            described["budget"] = _count("budget", budget, 1, 2**63 - 1)
        if known:
            described["constraints"] = {"known": [known] if isinstance(known, str) else list(known)}
        if physics is not None:
            described["physics"] = _physics(physics)
        custom = None if isinstance(method, (str, Mapping)) else method
        if custom is None:
            described["method"] = {"name": method} if isinstance(method, str) else method
        elif not callable(getattr(custom, "propose", None)):
            raise TypeError(f"method = {method!r}: a name, a table or an object with propose(history) is needed")
        self._open(_json(described), store, _events, custom, box)

    def _open(self, described: str, store: Any, events: list[str] | None, custom: Any, box: bool) -> None:
        name = None if custom is None else f"python:{type(custom).__qualname__}"
        self._begin(_native.Study(described, store, events, custom, name), box)
        self._arguments = {"described": described, "store": store, "custom": custom, "box": box}

    def _begin(self, native: _native.Study, box: bool) -> None:
        self._native = native
        described = json.loads(native.description())
        self._description: dict[str, Any] = described
        self._names: list[str] = list(described.get("parameters", {}))
        self._outputs: list[str] = list(described["outputs"])
        goals = described["outputs"].items()
        self._objective: str = next(name for name, goal in goals if "minimize" in goal or "maximize" in goal)
        self._box = box

    @classmethod
    def load(cls, store: str | os.PathLike[str]) -> Study:
        """The study that a store holds, whoever began it."""
        study = cls.__new__(cls)
        study._begin(_native.Study.from_store(store), False)
        study._arguments = {"load": os.path.abspath(store)}
        return study

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self._arguments or {})
        if state.get("store") is None and "described" in state:
            state["events"] = self._native.events()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "load" in state:
            self._begin(_native.Study.from_store(state["load"]), False)
        elif "file" in state:
            self._begin(_native.Study.from_file(state["file"], state["store"]), False)
        else:
            events = state.pop("events", None)
            self._open(state["described"], state["store"], events, state["custom"], state["box"])
            return
        self._arguments = state

    @property
    def description(self) -> dict[str, Any]:
        """The study in the shape of the study file."""
        return json.loads(self._native.description())  # type: ignore[no-any-return]

    @overload
    def ask(self) -> Asked: ...
    @overload
    def ask(self, count: int) -> list[Asked]: ...
    def ask(self, count: int | None = None) -> Asked | list[Asked]:
        """The next point to evaluate, or the next ``count``. They depend on everything told so far."""
        if count is None:
            trial, point = self._native.ask(1)[0]
            return Asked(trial, point)
        return [Asked(trial, point) for trial, point in self._native.ask(_count("count", count, 0, 10_000))]

    def tell(
        self,
        trial: int | Asked,
        outputs: float | Mapping[str, float] | None = None,
        *,
        failed: str | None = None,
        seconds: float | None = None,
    ) -> None:
        """What came of a trial: its value, its outputs by name, or the reason why it failed.

        NaN and infinity are failures.
        """
        told = trial.trial if isinstance(trial, Asked) else _count("trial", trial, 0, 2**63 - 1)
        if failed is not None:
            self._native.fail(told, str(failed), seconds)
            return
        named = self._named(outputs)
        if bad := [name for name, value in named.items() if not math.isfinite(value)]:
            self._native.fail(told, f"output {bad[0]} is {named[bad[0]]}", seconds)
            return
        self._native.tell(told, named, seconds)

    def add(
        self,
        point: Mapping[str, Any] | Sequence[float],
        outputs: float | Mapping[str, float] | None = None,
        *,
        failed: str | None = None,
    ) -> int:
        """Adds a result that is known from elsewhere as a trial of its own, and gives its number."""
        named = self._point(point)
        if failed is not None:
            return self._native.add_failed(named, str(failed))
        return self._native.add(named, self._named(outputs))

    def _point(self, point: Any) -> dict[str, Any]:
        if isinstance(point, Mapping):
            return {str(name): plain(value) for name, value in point.items()}
        values = [plain(value) for value in point]
        if len(values) != len(self._names):
            raise ValueError(f"the point has {len(values)} values; the space has {len(self._names)} parameters")
        return dict(zip(self._names, values))

    def _named(self, outputs: Any) -> dict[str, float]:
        if isinstance(outputs, Mapping):
            return {str(name): number(value, str(name)) for name, value in outputs.items()}
        if outputs is None:
            raise OutputError("there is neither a value nor failed=…", output=self._objective)
        return {self._objective: number(outputs, self._objective)}

    @property
    def best(self) -> Best | None:
        """The best trial among those that keep every limit; ``None`` before anything was observed."""
        best = self._native.best()
        return None if best is None else Best(*best, best[2][self._objective])

    @property
    def trials(self) -> Trials:
        """Every trial that has a point, with ``to_pandas()`` and ``to_polars()``."""
        rows = [Trial(*row) for row in self._native.trials()]
        return Trials([trial for trial in rows if trial.state != "reserved"], self._names, self._outputs)

    def recommend(self) -> tuple[dict[str, Any], tuple[float, float] | None] | None:
        """The point to use if nothing more could be evaluated, with mean and deviation where the method has a model."""
        return self._native.recommend()

    def model(self) -> Model | None:
        """The model of the objective; ``None`` where the method has none or too little was told."""
        native = self._native.model()
        return None if native is None else Model(native, self._names)

    def optimize(
        self,
        objective: Callable[[Any], Any],
        trials: int | None = None,
        *,
        callback: Callable[[Study, Trial], Any] | None = None,
        catch: type[BaseException] | tuple[type[BaseException], ...] | None = None,
        executor: Executor | None = None,
        progress: bool | None = None,
    ) -> None:
        """Evaluates until the study's budget is spent, or so many trials more.

        ``objective`` takes a dict of parameters, or an array where the space is a list of bounds; it returns a number, a
        dict of outputs, or a number and a dict. ``None``, NaN, infinity and exceptions are failures: they are recorded with
        their reason and the study goes on. Exceptions that speak of the program and not of the point (``NameError``,
        ``TypeError``, …) are raised, unless ``catch`` names them; the study can be continued when the program is mended.

        With ``parallel`` of more than one, evaluations run on threads, or in the processes of an ``executor``. A
        ``callback(study, trial)`` that returns true, or raises ``StopIteration``, ends the run.
        """
        from ._run import Run

        if trials is None and "budget" not in self._description:
            raise StatementError("there is no end: give trials=…, or the study a budget")
        Run(self, objective, trials, callback, catch, executor, progress).go()

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report, one self-contained HTML file; written where a path is given."""
        html = self._native.report()
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(html)
        return html

    def export(self, format: str = "json") -> str:
        """Every trial as ``json`` or ``csv``."""
        return self._native.export(format)

    def __repr__(self) -> str:
        begun, best = self._native.begun(), self.best
        value = "" if best is None else f", best {best.value:.6g} of trial {best.trial}"
        return f"<hilltop.Study {self._description['name']!r}: {begun} trials{value}>"

    def _repr_html_(self) -> str:
        return study_html(self._description, self._objective, list(self.trials), self.best)


def _json(described: Any) -> str:
    try:
        return json.dumps(described, default=_unknown, allow_nan=False)
    except ValueError:
        raise StatementError("the study contains NaN or infinity: bounds and limits are finite numbers") from None


def _physics(given: str | Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """The section of a study file: an equation alone, several, or all of it."""
    if isinstance(given, str):
        return {"equation": given}
    return dict(given) if isinstance(given, Mapping) else {"equations": list(given)}


def _unknown(value: Any) -> Any:
    simple = plain(value)
    if simple is value:
        raise TypeError(f"{value!r} is a {type(value).__name__}: numbers, texts, lists and dicts are needed")
    return simple


def _count(what: str, value: Any, least: int, most: int) -> int:
    simple = plain(value)
    if isinstance(simple, bool) or not isinstance(simple, int):
        raise TypeError(f"{what} = {value!r}: a whole number is needed")
    if not least <= simple <= most:
        raise ValueError(f"{what} = {value!r}: a whole number from {least} to {most} is needed")
    return simple


def _outputs(outputs: Any) -> dict[str, Any]:
    if outputs is None:
        return {"value": {"minimize": True}}
    if isinstance(outputs, str):
        outputs = {"value": outputs}
    goals = {"minimize": {"minimize": True}, "maximize": {"maximize": True}, "observe": {}}
    found: dict[str, Any] = {}
    for name, goal in outputs.items():
        if isinstance(goal, str) and goal not in goals:
            raise StatementError(f"outputs.{name} = {goal!r}: minimize, maximize, observe or limits are allowed")
        found[name] = goals[goal] if isinstance(goal, str) else dict(goal)
    return found


