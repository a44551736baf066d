"""Spaces as users write them, in the shape that the study file has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, Union

Value: TypeAlias = Union[bool, int, float, str]
Parameter: TypeAlias = "Mapping[str, Any] | Sequence[Any] | range"
Space: TypeAlias = "Mapping[str, Parameter] | Sequence[tuple[float, float]]"


def real(
    low: float, high: float, *, log: bool = False, step: float | None = None, when: str | None = None
) -> dict[str, Any]:
    """A number between bounds, both included.

    ``log`` where ratios matter and not differences; ``step`` for ``low``, ``low + step``, …; ``when`` for a parameter that
    takes part only where a condition on others holds, such as ``"kind == 'b'"``.
    """
    return _described({"float": [plain(low), plain(high)]}, log=log, step=step, when=when)


def integer(low: int, high: int, *, log: bool = False, when: str | None = None) -> dict[str, Any]:
    """A whole number between bounds, both included."""
    return _described({"int": [plain(low), plain(high)]}, log=log, when=when)


def choice(options: Sequence[Value], *, when: str | None = None) -> dict[str, Any]:
    """One of several options without an order."""
    return _described({"choice": [plain(option) for option in options]}, when=when)


def ordered(options: Sequence[Value], *, when: str | None = None) -> dict[str, Any]:
    """One of several options from low to high."""
    return _described({"ordered": [plain(option) for option in options]}, when=when)


def fixed(value: Value) -> dict[str, Any]:
    """Always the same value."""
    return {"value": plain(value)}


def _described(table: dict[str, Any], **settings: Any) -> dict[str, Any]:
    given = {key: plain(value) for key, value in settings.items() if value is not None and value is not False}
    return {**table, **given}


def plain(value: Any) -> Any:
    """A scalar of NumPy as the value that it stands for; everything else as it is."""
    if isinstance(value, (bool, int, float, str)) and type(value).__module__ == "builtins":
        return value
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "size", 1) == 1:
        return item()
    return value


def parameters(space: Space) -> tuple[dict[str, Any], bool]:
    """The parameters of a space, and whether it is a box: a list of bounds, whose points are arrays."""
    if isinstance(space, Mapping):
        return {_name(name): _parameter(name, given) for name, given in space.items()}, False
    bounds = _pairs(space)
    return {f"x{place + 1}": {"float": pair} for place, pair in enumerate(bounds)}, True


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a parameter's name is {name!r}, not a str")
    return name


def _pairs(space: Any) -> list[list[float]]:
    low, high = getattr(space, "lb", None), getattr(space, "ub", None)
    if low is not None and high is not None:
        space = list(zip(_flat(low), _flat(high)))
    try:
        pairs = [[float(low), float(high)] for low, high in space]
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"the space is {space!r}: a dict of parameters, or a list of (low, high) is needed"
        ) from error
    if not pairs:
        raise ValueError("the space is empty: name at least one parameter")
    return pairs


def _flat(bound: Any) -> list[float]:
    return list(bound) if hasattr(bound, "__len__") else [bound]


def _parameter(name: str, given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return {key: _plain_deep(value) for key, value in given.items()}
    if isinstance(given, range):
        if given.step != 1 or len(given) == 0:
            raise ValueError(f"{name} = {given!r}: a range of whole numbers with step 1 is needed")
        return integer(given.start, given.stop - 1) if len(given) > 1 else fixed(given.start)
    if isinstance(given, tuple) and len(given) == 2:
        low, high = map(plain, given)
        if isinstance(low, int) and isinstance(high, int):
            raise TypeError(
                f"{name} = {given!r} may mean whole numbers or all between: "
                f"write hilltop.integer{given!r} or ({float(low)}, {float(high)})"
            )
        return real(low, high)
    if isinstance(given, (list, tuple)):
        return choice(given)
    raise TypeError(
        f"{name} = {given!r}: hilltop.real, integer, choice, ordered or fixed is needed, a tuple (low, high) or a list of options"
    )


def _plain_deep(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return plain(value)
