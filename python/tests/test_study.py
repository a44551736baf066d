"""Asking, telling, continuing."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import hilltop

SPACE = {
    "length": hilltop.real(20, 50),
    "ratio": hilltop.real(1e-4, 1, log=True),
    "angle": hilltop.real(0, 90, step=0.5),
    "blades": hilltop.integer(3, 12),
    "steel": ["s235", "s355", "duplex"],
    "grade": hilltop.ordered(["low", "mid", "high"]),
    "damper": hilltop.real(0, 1, when="steel == 'duplex'"),
    "gap": hilltop.fixed(3.5),
}


def cost(point: dict) -> float:
    return (point["length"] - 30) ** 2 + point["blades"]


def points(study: hilltop.Study) -> list:
    return [trial.parameters for trial in study.trials]


def test_every_kind_of_parameter_comes_out_as_its_own_type():
    study = hilltop.Study(SPACE, known=["length * ratio <= 32"], seed=2, method="random")
    for asked in study.ask(40):
        point = asked.parameters
        assert 20 <= point["length"] <= 50 and isinstance(point["length"], float)
        assert (point["angle"] * 2) % 1 == 0
        assert isinstance(point["blades"], int) and 3 <= point["blades"] <= 12
        assert ("damper" in point) == (point["steel"] == "duplex")
        assert point["length"] * point["ratio"] <= 32
        assert point["gap"] == 3.5


def test_asking_telling_and_the_best():
    study = hilltop.Study(SPACE, outputs={"cost": "minimize", "stress": {"max": 250}}, seed=1)
    assert study.best is None and len(study.trials) == 0
    first, second, third = study.ask(3)
    study.tell(first, {"cost": 3, "stress": 260})
    study.tell(second.trial, {"cost": 5, "stress": 240}, seconds=1.5)
    study.tell(third, failed="mesh did not converge")
    assert study.best.trial == second.trial and study.best.feasible and study.best.value == 5
    assert study.trials[2].reason == "mesh did not converge" and study.trials[1].seconds == 1.5
    added = study.add(second.parameters, {"cost": 1.0, "stress": 100.0})
    assert study.best.trial == added and study.trials[added].added
    study.add(first.parameters, failed="known to break")
    assert study.trials[-1].state == "failed"


def test_the_same_seed_gives_the_same_points_and_another_does_not():
    def run(seed: int) -> list:
        study = hilltop.Study([(0, 1), (0, 1)], seed=seed)
        study.optimize(lambda x: x[0] + x[1], trials=14)
        return points(study)

    assert run(3) == run(3) != run(4)


def test_a_study_in_a_file_is_continued_as_if_it_had_not_stopped(tmp_path: Path):
    whole = hilltop.Study(SPACE, seed=5, store=tmp_path / "whole.db")
    whole.optimize(cost, trials=24)
    part = hilltop.Study(SPACE, seed=5, store=tmp_path / "part.db")
    part.optimize(cost, trials=13)
    del part
    again = hilltop.Study(SPACE, seed=5, store=tmp_path / "part.db")
    again.optimize(cost, trials=11)
    assert points(again) == points(whole)
    loaded = hilltop.Study.load(tmp_path / "part.db")
    assert points(loaded) == points(whole) and loaded.best == again.best
    with pytest.raises(hilltop.errors.MismatchError) as raised:
        hilltop.Study(SPACE, seed=6, store=tmp_path / "part.db")
    assert "seed" in raised.value.differences[0]


@pytest.mark.skipif("HILLTOP_BINARY" not in os.environ, reason="HILLTOP_BINARY names the command line")
def test_the_command_line_continues_what_python_began_and_the_other_way_round(tmp_path: Path):
    file = tmp_path / "study.toml"
    file.write_text(
        'seed = 4\nbudget = 20\n[parameters]\nx = { float = [0, 1] }\nn = { int = [1, 9] }\n'
        '[outputs]\ncost = { minimize = true }\n[evaluate]\n'
        f'command = ["{sys.executable}", "-c", "print(({{x}} - 0.5)**2 + {{n}})"]\n'
    )
    binary = os.environ["HILLTOP_BINARY"]
    study = hilltop.Study(file)
    study.optimize(lambda p: (p["x"] - 0.5) ** 2 + p["n"], trials=12)
    subprocess.run([binary, "run", str(file)], check=True, capture_output=True)
    assert sum(trial.state == "complete" for trial in study.trials) == 20
    shown = subprocess.run([binary, "best", str(file), "--json"], check=True, capture_output=True)
    assert json.loads(shown.stdout)["best"]["trial"] == study.best.trial
    whole = hilltop.Study(
        {"x": hilltop.real(0, 1), "n": hilltop.integer(1, 9)}, outputs={"cost": "minimize"}, seed=4, budget=20
    )
    whole.optimize(lambda p: (p["x"] - 0.5) ** 2 + p["n"])
    assert points(whole) == points(study)


def test_threads_and_their_number_do_not_change_the_points_of_a_study():
    def run(pause: float) -> list:
        study = hilltop.Study([(0, 1), (0, 1)], seed=8, parallel=4, budget=30)
        evaluating = []

        def slow(x):
            evaluating.append(threading.get_ident())
            time.sleep(pause * x[0])
            return x[0] ** 2 + x[1]

        study.optimize(slow)
        assert len(study.trials) == 30
        return points(study), len(set(evaluating))

    quick, slow = run(0.0), run(0.02)
    assert quick[0] == slow[0] and slow[1] == 4


def test_an_executor_evaluates_elsewhere():
    with ThreadPoolExecutor(3, thread_name_prefix="mine") as executor:
        study = hilltop.Study([(0, 1)], parallel=3, budget=12)
        seen = set()
        study.optimize(lambda x: seen.add(threading.current_thread().name[:4]) or x[0], executor=executor)
    assert seen == {"mine"}


def test_a_budget_or_a_number_of_trials_is_needed_and_both_are_kept():
    study = hilltop.Study([(0, 1)], method="random")
    with pytest.raises(ValueError, match="there is no end"):
        study.optimize(lambda x: x[0])
    study = hilltop.Study([(0, 1)], method="random", budget=10)
    study.optimize(lambda x: x[0], trials=4)
    assert len(study.trials) == 4
    study.optimize(lambda x: x[0], trials=50)
    assert len(study.trials) == 10


def test_a_callback_ends_a_run():
    study = hilltop.Study([(0, 1)], method="random", budget=50)
    study.optimize(lambda x: x[0], callback=lambda study, trial: trial.number == 6)
    assert len(study.trials) == 7

    def enough(study, trial):
        raise StopIteration

    study.optimize(lambda x: x[0], callback=enough)
    assert len(study.trials) == 8


def test_a_finite_space_is_exhausted():
    study = hilltop.Study({"a": [1, 2, 3], "b": [True, False]}, seed=1)
    study.optimize(lambda p: p["a"], trials=50)
    assert len(study.trials) == 6
    with pytest.raises(hilltop.errors.ExhaustedError) as raised:
        study.ask()
    assert raised.value.points == 6
    assert isinstance(pickle.loads(pickle.dumps(raised.value)), hilltop.errors.ExhaustedError)


@pytest.mark.parametrize("store", [None, "study.db"])
def test_a_study_can_be_pickled(tmp_path: Path, store: str | None):
    study = hilltop.Study([(0, 1), (2, 3)], seed=3, store=store and tmp_path / store)
    study.optimize(lambda x: x[0], trials=12)
    copy = pickle.loads(pickle.dumps(study))
    assert copy.trials.columns() == study.trials.columns()
    asked = copy.ask()
    if store:
        assert study.trials[-1].parameters == asked.parameters
    else:
        assert len(study.trials) == 12 and study.ask() == asked


def test_a_file_that_was_opened_before_a_fork_is_refused_after_it(tmp_path: Path):
    study = hilltop.Study([(0, 1)], store=tmp_path / "a.db", method="random")
    study.ask()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()

    def child() -> None:
        try:
            study.ask()
            queue.put("asked")
        except hilltop.HilltopError as error:
            queue.put(str(error))

    process = context.Process(target=child)
    process.start()
    assert "another process" in queue.get(timeout=20)
    process.join(20)


def test_a_study_in_memory_works_after_a_fork():
    study = hilltop.Study([(0, 1)], seed=2)
    study.optimize(lambda x: x[0], trials=12)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=lambda: queue.put(study.ask().parameters))
    process.start()
    assert queue.get(timeout=30) == study.ask().parameters
    process.join(20)


def test_tables_of_trials():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    study = hilltop.Study(SPACE, seed=1, method="random")
    with pytest.warns(hilltop.errors.EvaluationWarning):
        study.optimize(lambda p: cost(p) if p["blades"] % 2 else None, trials=12)
    frame = study.trials.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["trial"]) == list(range(12))
    assert frame["value"].isna().sum() == (frame["state"] == "failed").sum() > 0
    table = study.trials.to_polars()
    assert isinstance(table, polars.DataFrame) and table.height == 12
    assert "s235" in study.trials._repr_html_()
    assert json.loads(study.export("json"))["trials"][0]["trial"] == 0
    assert study.export("csv").startswith("trial,state,length")


def test_reports(tmp_path: Path):
    study = hilltop.Study(SPACE, seed=1, name="<turbine>")
    assert "svg" not in study._repr_html_()
    study.optimize(cost, trials=14)
    html = study._repr_html_()
    assert html.count("<svg") == 1 + 7 and "<turbine>" not in html
    assert "plotly" in study.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 100_000
    assert repr(study).startswith("<hilltop.Study '<turbine>': 14 trials, best ")


def test_the_bar_says_how_far_and_how_good(capsys: pytest.CaptureFixture):
    study = hilltop.Study([(0, 1)], method="random", budget=8)
    study.optimize(lambda x: x[0] if x[0] > 0.3 else float("nan"), progress=True)
    shown = capsys.readouterr().err
    assert "8/8" in shown and "best" in shown and "failed" in shown
    study = hilltop.Study([(0, 1)], method="random", budget=8)
    study.optimize(lambda x: x[0], progress=False)
    assert capsys.readouterr().err == ""


def test_the_bar_in_a_notebook_is_one_output_that_is_replaced(monkeypatch: pytest.MonkeyPatch):
    shown: list[str] = []

    class ZMQInteractiveShell:
        pass

    class Handle:
        def update(self, html: str) -> None:
            shown.append(html)

    notebook, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    notebook.get_ipython = ZMQInteractiveShell
    display.HTML = str
    display.display = lambda html, display_id: shown.append("first " + html) or Handle()
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr("hilltop._progress.PAUSE", 0.0)
    hilltop.Study([(0, 1)], method="random", budget=5).optimize(lambda x: x[0])
    assert len(shown) == 5 and shown[0].startswith("first ") and "5/5" in shown[-1] and "<progress" in shown[-1]


def test_an_equation_is_stated_alone_in_a_list_or_as_a_section():
    space = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    heat = "d(f,x,x) + d(f,y,y) = 0"
    for given in (heat, [heat], {"equation": heat}):
        study = hilltop.Study(space, physics=given, method="sobol")
        assert study._description["physics"]["equations"] == [heat]
    with pytest.raises(hilltop.errors.StatementError, match="unknown name `z`"):
        hilltop.Study(space, physics="d(f,z) = 0")
    found = hilltop.minimize(lambda x: x[0] * x[1], [(0, 1), (0, 1)], physics="laplacian(f) = 0", budget=3, method="sobol")
    assert found.nfev == 3
