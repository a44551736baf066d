"""What an objective returned: outputs, a failure with its reason, or something that cannot be meant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Outcome = "dict[str, float] | str"

#: Exceptions that speak of the program and not of the point: they are raised, unless a caller catches them by name.
MISTAKES = (NameError, AttributeError, ImportError, TypeError, SyntaxError, NotImplementedError)


def outcome(returned: Any, outputs: list[str], objective: str) -> dict[str, float] | str:
    """The outputs, all finite, or the reason why the evaluation failed.

    >>> outcome(1, ["cost"], "cost")
    {'cost': 1.0}
    >>> outcome({"cost": 1, "stress": float("nan")}, ["cost", "stress"], "cost")
    'output stress is nan'
    >>> outcome((2.0, {"stress": 3}), ["cost", "stress"], "cost")
    {'cost': 2.0, 'stress': 3.0}
    """
    if returned is None:
        return "the objective returned None"
    named = _named(returned, objective)
    if missing := [name for name in outputs if name not in named]:
        raise TypeError(f"the objective returned {_short(returned)}: output {missing[0]} is missing")
    values: dict[str, float] = {}
    for name in outputs:
        if named[name] is None:
            return f"output {name} is None"
        value = number(named[name], name)
        if not math.isfinite(value):
            return f"output {name} is {value}"
        values[name] = value
    return values


def _named(returned: Any, objective: str) -> Mapping[str, Any]:
    if isinstance(returned, Mapping):
        return returned
    if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping):
        return {objective: returned[0], **returned[1]}
    return {objective: returned}


def number(value: Any, name: str) -> float:
    """A number of any library; what overflows is infinite."""
    if isinstance(value, (str, bytes, complex)):
        raise TypeError(f"output {name} is {_short(value)}, not a number")
    size = getattr(value, "size", 1)
    if isinstance(size, int) and size != 1:
        raise TypeError(f"output {name} is an array of shape {getattr(value, 'shape', '?')}: one number is needed")
    item = getattr(value, "item", None)
    try:
        return float(item() if callable(item) else value)
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        raise TypeError(f"output {name} is {_short(value)}, not a number") from None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def reason(error: BaseException) -> str:
    """Why an evaluation failed, in a line."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
