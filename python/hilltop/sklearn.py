"""scikit-learn: a search over hyperparameters with cross-validation.

>>> from sklearn.datasets import load_iris
>>> from sklearn.svm import SVC
>>> import hilltop
>>> from hilltop.sklearn import HilltopSearchCV
>>> search = HilltopSearchCV(SVC(), {"C": hilltop.real(1e-3, 1e3, log=True)}, n_iter=12, cv=3, random_state=1)
>>> bool(search.fit(*load_iris(return_X_y=True)).best_score_ > 0.9)
True
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state

from ._space import plain
from ._study import Study
from .errors import ExhaustedError

__all__ = ["HilltopSearchCV"]


class HilltopSearchCV(BaseSearchCV):
    """Searches hyperparameters by a method of Hilltop, evaluating each by cross-validation.

    ``param_space``: a dict of parameters as in :class:`hilltop.Study`, lists of any objects, distributions of
    ``scipy.stats``, or scikit-optimize's spaces, tuples included; also a list of such dicts, or of pairs of a dict and its
    number of iterations, searched one after another. ``n_points``: so many candidates are evaluated side by side.
    ``known``: relations of the parameters that every candidate keeps. Everything else is as in ``RandomizedSearchCV``.
    A candidate whose fits fail is a failure that the method is told; one without a single fit is listed in
    ``failed_params_``, because scikit-learn gives such a candidate no results.
    """

    def __init__(
        self,
        estimator: Any,
        param_space: Any,
        *,
        n_iter: int = 50,
        n_points: int = 1,
        method: Any = "auto",
        known: Sequence[str] = (),
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_space = param_space
        self.n_iter = n_iter
        self.n_points = n_points
        self.method = method
        self.known = known
        self.random_state = random_state

    def _run_search(self, evaluate_candidates: Callable[[list[dict[str, Any]]], Any]) -> None:
        shuffled = getattr(self.cv, "shuffle", False) or "Shuffle" in type(self.cv).__name__
        if shuffled and getattr(self.cv, "random_state", 0) is None:
            warnings.warn("cv has no random_state: every candidate is scored on other splits", stacklevel=3)
        generator = check_random_state(self.random_state)
        self.failed_params_: list[dict[str, Any]] = []
        self._scored = False
        for space, count in _spaces(self.param_space, self.n_iter):
            self._search(evaluate_candidates, space, count, int(generator.randint(2**31 - 1)))

    def _search(self, evaluate: Callable[..., Any], space: dict[str, _Axis], count: int, seed: int) -> None:
        described = {name: axis.described for name, axis in space.items()}
        known, method = list(self.known), self.method
        study = Study(described, outputs={"score": "maximize"}, known=known, method=method, seed=seed, budget=count)
        done = 0
        while done < count:
            try:
                asked = study.ask(min(int(self.n_points), count - done))
            except ExhaustedError:
                return
            candidates = [{name: axis.outward(one.parameters[name]) for name, axis in space.items()} for one in asked]
            done += len(asked)
            scores = self._scores(evaluate, candidates, last=done == count)
            for one, score in zip(asked, scores):
                if math.isfinite(score):
                    study.tell(one, float(score))
                else:
                    study.tell(one, failed=f"the score is {score}")

    def _scores(self, evaluate: Callable[..., Any], candidates: list[dict[str, Any]], last: bool) -> Any:
        """The scores of candidates; scikit-learn raises where not a single fit of a call succeeds."""
        try:
            results = evaluate(candidates)
        except ValueError as error:
            if "fits failed" not in str(error) or (last and not self._scored):
                raise
            self.failed_params_.extend(candidates)
            return [math.nan] * len(candidates)
        self._scored = True
        return results[f"mean_test_{self._metric(results)}"][-len(candidates) :]

    def _metric(self, results: Mapping[str, Any]) -> str:
        if "mean_test_score" in results:
            return "score"
        if isinstance(self.refit, str):
            return self.refit
        names = [key for key in results if key.startswith("mean_test_")]
        return names[0].removeprefix("mean_test_")


class _Axis:
    """A parameter: what Hilltop calls its values, and what the estimator does."""

    def __init__(self, described: dict[str, Any], options: list[Any] | None = None) -> None:
        self.described = described
        self.options = options

    def outward(self, value: Any) -> Any:
        return value if self.options is None else self.options[value]


def _spaces(given: Any, count: int) -> list[tuple[dict[str, _Axis], int]]:
    if isinstance(given, Mapping):
        return [({name: _axis(name, one) for name, one in given.items()}, int(count))]
    found: list[tuple[dict[str, _Axis], int]] = []
    for one in given:
        space, own = one if isinstance(one, tuple) else (one, count)
        found.extend(_spaces(space, own))
    return found


def _options(options: Sequence[Any]) -> _Axis:
    listed = list(options)
    if len(listed) == 1:
        return _Axis({"value": 0}, listed)
    return _Axis({"choice": list(range(len(listed)))}, listed)


def _axis(name: str, given: Any) -> _Axis:
    if isinstance(given, Mapping):
        if "choice" in given and "when" not in given:
            return _options(given["choice"])
        return _Axis(dict(given))
    if hasattr(given, "categories"):
        return _options(given.categories)
    if hasattr(given, "low") and hasattr(given, "high"):
        return _Axis(_numbers(given.low, given.high, getattr(given, "prior", "uniform"), _is_whole(given)))
    if hasattr(given, "support") and hasattr(given, "dist"):
        return _distribution(given)
    if isinstance(given, tuple) and 2 <= len(given) <= 3 and all(_is_number(value) for value in given[:2]):
        low, high = map(plain, given[:2])
        prior = given[2] if len(given) == 3 else "uniform"
        return _Axis(_numbers(low, high, prior, isinstance(low, int) and isinstance(high, int)))
    if isinstance(given, (list, tuple, np.ndarray)) and len(given):
        return _options([plain(value) if isinstance(value, np.generic) else value for value in given])
    raise ValueError(f"{name} = {given!r}: a parameter of hilltop, a list, a tuple or a distribution is needed")


def _is_whole(dimension: Any) -> bool:
    return type(dimension).__name__ == "Integer"


def _is_number(value: Any) -> bool:
    return isinstance(plain(value), (int, float)) and not isinstance(value, bool)


def _numbers(low: Any, high: Any, prior: str, whole: bool) -> dict[str, Any]:
    bounds = [int(low), int(high)] if whole else [float(low), float(high)]
    described: dict[str, Any] = {"int" if whole else "float": bounds}
    return {**described, "log": True} if str(prior).startswith("log") else described


def _distribution(given: Any) -> _Axis:
    low, high = map(float, given.support())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"the distribution {given.dist.name} has no bounds: give hilltop.real(low, high) instead")
    prior = "log" if given.dist.name in ("loguniform", "reciprocal") else "uniform"
    whole = hasattr(given.dist, "pmf")
    return _Axis(_numbers(low, high, prior, whole))
