"""A bar in the terminal or the notebook: how far, how good, how long yet."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._study import Study

WIDTH = 24
#: The bar is drawn at most so often, in seconds.
PAUSE = 0.1


class Progress:
    """No bar: nothing is shown."""

    @staticmethod
    def begin(wanted: bool | None, done: int, total: int | None) -> Progress:
        """A bar where it is wanted, or where somebody looks: a terminal or a notebook."""
        if wanted is False:
            return Progress()
        if _in_notebook():
            return Notebook(done, total)
        terminal = getattr(sys.stderr, "isatty", lambda: False)()
        return Terminal(done, total) if wanted or terminal else Progress()

    def show(self, study: Study, failed: bool) -> None:
        """A trial has ended."""

    def end(self) -> None:
        """The run has ended."""


class Terminal(Progress):
    """A line of the terminal that is written again and again."""

    def __init__(self, done: int, total: int | None) -> None:
        self.first = done
        self.done = done
        self.total = total
        self.failed = 0
        self.start = time.monotonic()
        self.drawn = 0.0
        self.line = ""

    def show(self, study: Study, failed: bool) -> None:
        self.done += 1
        self.failed += failed
        now = time.monotonic()
        if now - self.drawn < PAUSE and self.done != self.total:
            return
        self.drawn = now
        self.line = self.text(study.best, now)
        self.draw(self.line)

    def text(self, best: Any, now: float) -> str:
        """The bar in words.

        >>> bar = Terminal(0, 8)
        >>> bar.done = 2
        >>> bar.text(None, bar.start + 3)
        '2/8 ██████░░░░░░░░░░░░░░░░░░  0:09 left'
        """
        parts = [f"{self.done}"]
        if self.total:
            full = min(WIDTH, WIDTH * self.done // self.total)
            parts = [f"{self.done}/{self.total} {'█' * full}{'░' * (WIDTH - full)}"]
        if best is not None:
            parts.append(f"best {best.value:.6g} of trial {best.trial}")
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.total and self.done > self.first:
            left = (now - self.start) / (self.done - self.first) * max(0, self.total - self.done)
            parts.append(f"{int(left) // 60}:{int(left) % 60:02} left")
        return "  ".join(parts)

    def draw(self, line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()

    def end(self) -> None:
        if self.line:
            sys.stderr.write("\n")
            sys.stderr.flush()


class Notebook(Terminal):
    """A cell's output that is replaced again and again."""

    handle: Any = None

    def draw(self, line: str) -> None:
        from IPython.display import HTML, display

        share = 100 * self.done // self.total if self.total else 100
        html = HTML(
            f'<div style="font:13px sans-serif"><progress max="100" value="{share}"></progress> {line}</div>'
        )
        if self.handle is None:
            self.handle = display(html, display_id=True)
        else:
            self.handle.update(html)

    def end(self) -> None:
        """The last state stays."""


def _in_notebook() -> bool:
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"
