"""Arrays where NumPy is installed, lists where it is not."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any


def numpy() -> Any:
    """NumPy, or ``None``."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy


def array(values: Iterable[float]) -> Any:
    """A vector."""
    np = numpy()
    return list(values) if np is None else np.array(list(values), dtype=float)


def rows(points: Any, columns: int) -> tuple[bytes, int, bool]:
    """Points as a buffer of doubles in rows, how many columns they have, and whether it was a single point."""
    np = numpy()
    if np is None:
        single = len(points) > 0 and not isinstance(points[0], Sequence)
        table = [points] if single else points
        if any(len(row) != columns for row in table):
            raise ValueError(f"every point needs {columns} numbers")
        return b"".join(struct.pack(f"={columns}d", *row) for row in table), columns, single
    table = np.ascontiguousarray(points, dtype=float)
    single = table.ndim == 1 and not (columns == 1 and table.shape[0] != 1)
    if single:
        table = table[None, :]
    elif table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or table.shape[1] != columns:
        raise ValueError(f"the points have shape {np.shape(points)}: (n, {columns}) is needed")
    if not np.isfinite(table).all():
        raise ValueError("the points contain NaN or infinity")
    return table.tobytes(), columns, single


def doubles(buffer: bytearray) -> Any:
    """An array that lies on the buffer; nothing is copied."""
    np = numpy()
    return list(memoryview(buffer).cast("d")) if np is None else np.frombuffer(buffer, dtype=float)
