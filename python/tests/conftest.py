"""What the tests share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bar, whatever the terminal."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
