"""What can go wrong. Every exception is a :class:`HilltopError` and also the built-in one that a caller would expect."""

from __future__ import annotations

from typing import Any


class HilltopError(Exception):
    """The parent of all. Its fields are attributes."""

    def __init__(self, message: str = "", **fields: Any) -> None:
        super().__init__(message)
        self.fields = fields
        for name, value in fields.items():
            setattr(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), str(self), self.fields)


def _again(kind: type[HilltopError], message: str, fields: dict[str, Any]) -> HilltopError:
    return kind(message, **fields)


class StatementError(HilltopError, ValueError):
    """A study is not stated as it must be. ``findings``: each of them, where it comes from a file."""

    path: str
    findings: list[str]


class MismatchError(HilltopError, ValueError):
    """The store holds another study. ``differences``: in what."""

    differences: list[str]


class SettingError(HilltopError, ValueError):
    """A method or one of its settings is not allowed."""

    setting: str
    value: str
    allowed: str


class PointError(HilltopError, ValueError):
    """A point is none of the space. ``parameter``: which, where it is one."""

    parameter: str
    value: str
    low: str
    high: str
    constraint: str


class OutputError(HilltopError, ValueError):
    """An output is missing, unknown or no finite number."""

    output: str
    value: float


class TrialError(HilltopError, LookupError):
    """There is no such trial, or it has been told already."""

    trial: int


class ExhaustedError(HilltopError, RuntimeError):
    """Every point of a finite space has been evaluated. ``points``: how many there are."""

    points: int


class MethodError(HilltopError, RuntimeError):
    """A method failed."""


class StoreError(HilltopError, RuntimeError):
    """A store cannot be read or written. ``store``: which."""

    store: str
    position: int


class InternalError(HilltopError, RuntimeError):
    """A bug of Hilltop."""


class EvaluationWarning(UserWarning):
    """An evaluation failed; the study goes on."""
