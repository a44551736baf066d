"""The examples and the pages run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import hilltop

ROOT = Path(__file__).parents[2]


def test_coco_by_its_protocol(tmp_path: Path):
    pytest.importorskip("cocoex")
    arguments = ["--dimensions", "2", "--functions", "1,8", "--instances", "1", "--budget", "10"]
    run = subprocess.run(
        [sys.executable, ROOT / "examples/coco/bbob.py", *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    lines = [line.split() for line in run.stdout.splitlines() if line.startswith("bbob_f")]
    assert [line[0] for line in lines] == ["bbob_f001_i01_d02", "bbob_f008_i01_d02"]
    assert all(int(line[1]) <= 20 for line in lines)
    assert list((tmp_path / "exdata").glob("hilltop-auto/*.info"))


def test_the_page_of_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S)

    def train(point: dict) -> float:
        return point["rate"] * point["layers"] + point.get("momentum", 0.5)

    names = {"hilltop": hilltop, "train": train}
    for block in blocks:
        exec(block.replace("budget=100", "budget=20").replace("trials=50", "trials=4"), names)
    assert names["study"].best is not None and (tmp_path / "report.html").exists()
