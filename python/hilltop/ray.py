"""Ray Tune: a search algorithm.

``tune.Tuner(train, param_space={"lr": tune.loguniform(1e-4, 1)}, tune_config=tune.TuneConfig(search_alg=HilltopSearch(),
metric="loss", mode="min", num_samples=60))``
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping
from typing import Any

from ray.tune.search import Searcher
from ray.tune.search.sample import Categorical, Domain, Float, Integer, LogUniform, Quantized, Uniform
from ray.tune.search.variant_generator import parse_spec_vars
from ray.tune.utils.util import flatten_dict, unflatten_dict  # type: ignore[attr-defined]

from ._outcome import number
from ._study import Study
from .errors import ExhaustedError

__all__ = ["HilltopSearch"]


class HilltopSearch(Searcher):
    """Suggests by a method of Hilltop.

    ``space``: a space of Tune, or none to take the Tuner's. ``points_to_evaluate``: configurations to begin with;
    ``evaluated_rewards``: what is known of them already. ``constraints``: limits of other keys of the results,
    ``{"heat": {"max": 90}}``. A trial that ends with an error, without the metric or with NaN is a failure, and the method is
    told so. The state is saved after every result: a restored experiment goes on as it would have.
    """

    def __init__(
        self,
        space: Mapping[str, Any] | None = None,
        metric: str | None = None,
        mode: str | None = None,
        points_to_evaluate: list[dict[str, Any]] | None = None,
        evaluated_rewards: list[float] | None = None,
        random_state_seed: int = 0,
        method: Any = "auto",
        constraints: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        super().__init__(metric=metric, mode=mode)
        if evaluated_rewards is not None and len(evaluated_rewards) != len(points_to_evaluate or ()):
            raise ValueError("evaluated_rewards and points_to_evaluate differ in length")
        self._points = [dict(point) for point in points_to_evaluate or ()]
        self._rewards = evaluated_rewards
        self._seed = random_state_seed
        self._method = method
        self._constraints = {name: dict(limits) for name, limits in (constraints or {}).items()}
        self._axes: dict[str, _Axis] = {}
        self._study: Study | None = None
        self._live: dict[str, int | dict[str, Any]] = {}
        self._at_once = 0
        if space:
            self._axes = self.convert_search_space(dict(space))
            self._begin()

    @staticmethod
    def convert_search_space(spec: dict[str, Any]) -> dict[str, _Axis]:
        """The parameters of a space of Tune; nested names are joined by ``/``."""
        _, domains, grids = parse_spec_vars(spec)
        if grids:
            raise ValueError("grid_search cannot be part of a searched space: use tune.choice")
        _, domains, _ = parse_spec_vars(flatten_dict(spec, prevent_delimiter=True))
        return {"/".join(map(str, path)): _Axis("/".join(map(str, path)), domain) for path, domain in domains}

    def _begin(self) -> None:
        if not self._axes or not self._metric or not self._mode:
            return
        if self._mode not in ("min", "max"):
            raise ValueError(f"mode = {self._mode!r}: min or max is needed")
        goal = "maximize" if self._mode == "max" else "minimize"
        self._study = Study(
            {name: axis.described for name, axis in self._axes.items()},
            outputs={self._metric: goal, **self._constraints},
            seed=self._seed,
            method=self._method,
        )
        if self._rewards is not None:
            for point, reward in zip(self._points, self._rewards):
                self.add_evaluated_point(point, reward)
            self._points, self._rewards = [], None

    def set_search_properties(self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: Any) -> bool:
        if self._study is not None:
            return not config
        self._metric = metric or self._metric
        self._mode = mode or self._mode
        if config and self._axes:
            return False
        self._axes = self._axes or self.convert_search_space(config)
        self._begin()
        return True

    def set_max_concurrency(self, max_concurrent: int) -> bool:
        self._at_once = max_concurrent
        return True

    def suggest(self, trial_id: str) -> dict[str, Any] | None:
        if self._study is None:
            raise RuntimeError("HilltopSearch needs a space, a metric and a mode, of its own or of the Tuner")
        if self._at_once and len(self._live) >= self._at_once:
            return None
        if self._points:
            point = self._points.pop(0)
            self._live[trial_id] = point
            return point
        try:
            asked = self._study.ask()
        except ExhaustedError:
            return Searcher.FINISHED  # type: ignore[return-value]
        self._live[trial_id] = asked.trial
        flat = {name: axis.outward(asked.parameters[name]) for name, axis in self._axes.items()}
        return unflatten_dict(flat)

    def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
        """Only the last result of a trial counts."""

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        live = self._live.pop(trial_id, None)
        if live is None or self._study is None:
            return
        outputs = self._outputs(result, error)
        if isinstance(live, dict):
            self._add(live, outputs)
        elif isinstance(outputs, str):
            self._study.tell(live, failed=outputs)
        else:
            self._study.tell(live, outputs)

    def _outputs(self, result: dict[str, Any] | None, error: bool) -> dict[str, float] | str:
        if error:
            return "the trial ended with an error"
        flat = flatten_dict(dict(result or {}))
        outputs: dict[str, float] = {}
        for name in (str(self._metric), *self._constraints):
            try:
                outputs[name] = number(flat[name], name)
            except (KeyError, TypeError):
                return f"the result has no number {name}"
            if not math.isfinite(outputs[name]):
                return f"{name} is {outputs[name]}"
        return outputs

    def _add(self, point: dict[str, Any], outputs: dict[str, float] | str) -> None:
        """A point of the user's own may lie outside the space: then it teaches nothing."""
        flat = flatten_dict(point)
        try:
            named = {name: axis.inward(flat[name]) for name, axis in self._axes.items()}
            if isinstance(outputs, str):
                self._study.add(named, failed=outputs)  # type: ignore[union-attr]
            else:
                self._study.add(named, outputs)  # type: ignore[union-attr]
        except (ValueError, KeyError, TypeError):
            return

    def add_evaluated_point(
        self,
        parameters: dict[str, Any],
        value: float,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: list[float] | None = None,
    ) -> None:
        if self._study is None:
            raise RuntimeError("HilltopSearch needs a space, a metric and a mode before results are added")
        if not pruned:
            self._add(parameters, self._outputs({str(self._metric): value}, error))

    def get_state(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def set_state(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def save(self, checkpoint_path: str) -> None:
        with open(checkpoint_path, "wb") as file:
            pickle.dump(self.get_state(), file)

    def restore(self, checkpoint_path: str) -> None:
        with open(checkpoint_path, "rb") as file:
            self.set_state(pickle.load(file))


class _Axis:
    """A domain of Tune as a parameter: what Hilltop calls its values, and what Tune does."""

    def __init__(self, name: str, domain: Domain) -> None:
        sampler = domain.get_sampler()  # type: ignore[no-untyped-call]
        step = sampler.q if isinstance(sampler, Quantized) else None
        sampler = sampler.sampler if isinstance(sampler, Quantized) else sampler
        self.options = list(domain.categories) if isinstance(domain, Categorical) else None
        self.step: float | None = None
        log = isinstance(sampler, LogUniform)
        if not log and not isinstance(sampler, Uniform):
            raise ValueError(f"{name}: the sampler {type(sampler).__name__} has no bounds: use uniform or loguniform")
        if self.options is not None:
            self.described: dict[str, Any] = _listed(len(self.options))
        elif isinstance(domain, (Float, Integer)):
            self.described = self._numbers(domain, log, step)
        else:
            raise ValueError(f"{name}: a domain of type {type(domain).__name__} cannot be searched")

    def _numbers(self, domain: Float | Integer, log: bool, step: float | None) -> dict[str, Any]:
        whole = isinstance(domain, Integer)
        if step is not None and step != 1 and not log:
            # Tune's quantised values are multiples of the step, the upper bound included.
            self.step = step
            low, high = math.ceil(domain.lower / step - 1e-9), math.floor(domain.upper / step + 1e-9)
            return {"int": [low, high]} if low < high else {"value": low}
        # Tune's upper bound of whole numbers is exclusive, unless they are quantised.
        high = domain.upper - 1 if whole and step is None else domain.upper
        if domain.lower == high:
            return {"value": high}
        described: dict[str, Any] = {"int" if whole else "float": [domain.lower, high]}
        return {**described, "log": True} if log else described

    def outward(self, value: Any) -> Any:
        if self.options is not None:
            return self.options[value]
        return value if self.step is None else value * self.step

    def inward(self, value: Any) -> Any:
        if self.options is not None:
            return self.options.index(value)
        return value if self.step is None else round(value / self.step)


def _listed(count: int) -> dict[str, Any]:
    return {"choice": list(range(count))} if count > 1 else {"value": 0}
