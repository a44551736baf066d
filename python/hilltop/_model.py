"""What a method believes of the objective, for plots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _native
from ._arrays import doubles, rows


class Model:
    """The model of a study as of everything told so far: ``study.model()``.

    >>> import hilltop
    >>> study = hilltop.Study([(0, 1)], seed=1)
    >>> study.optimize(lambda x: (x[0] - 0.3) ** 2, trials=12)
    >>> mean, deviation = study.model().predict([[0.3], [0.9]])
    >>> bool(mean[0] < mean[1])
    True
    """

    def __init__(self, native: _native.Model, names: list[str]) -> None:
        self._native = native
        self._names = names

    @property
    def names(self) -> list[str]:
        """The parameters, in the order of columns."""
        return list(self._names)

    def predict(self, points: Any) -> tuple[Any, Any]:
        """Mean and standard deviation of the objective at points, in the user's direction and units.

        ``points``: rows of numbers, one column a parameter, or a list of dicts; one of either for a single point.
        """
        if isinstance(points, Mapping):
            mean, deviation = self.predict([points])
            return mean[0], deviation[0]
        if isinstance(points, (list, tuple)) and points and isinstance(points[0], Mapping):
            means, deviations = self._native.at_points([dict(point) for point in points])
            return doubles(means), doubles(deviations)
        buffer, columns, single = rows(points, len(self._names))
        means, deviations = self._native.at_rows(buffer, columns)
        mean, deviation = doubles(means), doubles(deviations)
        return (mean[0], deviation[0]) if single else (mean, deviation)

    def draw(self, seed: int = 0) -> Draw:
        """A function drawn from what is believed: as plausible a truth as any."""
        return Draw(self._native.draw(seed), self._names)


class Draw:
    """A function drawn from a model."""

    def __init__(self, native: _native.Draw, names: list[str]) -> None:
        self._native = native
        self._names = names

    def __call__(self, points: Any) -> Any:
        """The function at rows of numbers."""
        return self.with_gradient(points)[0]

    def with_gradient(self, points: Any) -> tuple[Any, Any]:
        """The function and its gradients at rows of numbers; ``None`` where it has none."""
        buffer, columns, single = rows(points, len(self._names))
        values, gradients = self._native.at_rows(buffer, columns)
        value = doubles(values)
        slopes = None if gradients is None else _reshaped(doubles(gradients), columns)
        if not single:
            return value, slopes
        return value[0], None if slopes is None else slopes[0]


def _reshaped(flat: Any, columns: int) -> Any:
    if hasattr(flat, "reshape"):
        return flat.reshape(-1, columns)
    return [flat[start : start + columns] for start in range(0, len(flat), columns)]
