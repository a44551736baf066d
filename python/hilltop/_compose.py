"""Methods by name, and composed of roles."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from . import _native
from ._space import plain


class Method(NamedTuple):
    """A method that there is."""

    name: str
    about: str
    paper: str


def methods() -> list[Method]:
    """The methods there are.

    >>> [method.name for method in methods()][0]
    'auto'
    """
    return [Method(*entry) for entry in _native.methods()]


def compose(
    *,
    surrogate: dict[str, Any] | None = None,
    acquisition: str | dict[str, Any] = "log-ei",
    maximiser: str | dict[str, Any] = "auto",
    design: dict[str, Any] | None = None,
    transform: str = "auto",
) -> dict[str, Any]:
    """A method composed of roles, for ``method=``. What does not exist or does not fit is refused at once.

    >>> optimist = compose(surrogate={"depth": 2}, acquisition="ucb", maximiser={"name": "pool", "points": 2000})
    >>> compose(acquisition="ecb")
    Traceback (most recent call last):
    ...
    hilltop.errors.SettingError: method compose = ...
    """
    method: dict[str, Any] = {
        "name": "compose",
        "acquisition": acquisition,
        "maximiser": maximiser,
        "transform": transform,
    }
    if surrogate is not None:
        method["surrogate"] = surrogate
    if design is not None:
        method["design"] = design
    _native.check_method(json.dumps(method, default=plain, allow_nan=False))
    return method
