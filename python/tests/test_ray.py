"""Ray Tune: the searcher by itself, and a cluster that loses a node."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("ray.tune")

from ray import tune  # noqa: E402
from ray.tune.search import ConcurrencyLimiter, Searcher  # noqa: E402

from hilltop.ray import HilltopSearch  # noqa: E402

SPACE = {
    "lr": tune.loguniform(1e-4, 1),
    "layers": tune.randint(1, 4),
    "even": tune.qrandint(2, 10, 2),
    "wide": tune.quniform(0.5, 2, 0.25),
    "net": {"kind": tune.choice(["a", ("b", 1)]), "units": tune.lograndint(4, 64)},
    "fixed": 3,
}


def test_a_space_of_tune_is_converted_with_its_exclusive_bounds():
    axes = HilltopSearch.convert_search_space(SPACE)
    described = {name: axis.described for name, axis in axes.items()}
    assert described["layers"] == {"int": [1, 3]} and described["even"] == {"int": [1, 5]}
    assert described["net/units"] == {"int": [4, 63], "log": True} and described["wide"] == {"int": [2, 8]}
    assert "fixed" not in described
    for wrong in ({"a": tune.grid_search([1, 2])}, {"a": tune.randn(0, 1)}, {"a": tune.sample_from(lambda _: 1)}):
        with pytest.raises(ValueError):
            HilltopSearch.convert_search_space(wrong)


def test_suggestions_are_nested_and_lie_in_the_space():
    search = HilltopSearch(SPACE, metric="loss", mode="min")
    for number in range(30):
        point = search.suggest(f"t{number}")
        assert 1e-4 <= point["lr"] <= 1 and point["layers"] in (1, 2, 3) and point["even"] in (2, 4, 6, 8, 10)
        assert (point["wide"] * 4).is_integer() and point["net"]["kind"] in ("a", ("b", 1)) and 4 <= point["net"]["units"] < 64
        search.on_trial_complete(f"t{number}", {"loss": point["lr"]})
    assert search._study.best.value < 0.01


def test_errors_and_results_without_a_number_are_failures():
    search = HilltopSearch({"x": tune.uniform(0, 1)}, metric="loss", mode="max", constraints={"heat": {"max": 1}})
    results = [
        {"result": {"loss": 1.0, "heat": 2.0}},
        {"result": {"loss": float("nan"), "heat": 0}},
        {"result": {"loss": 1.0}},
        {"result": {"loss": "high", "heat": 0}},
        {"result": None},
        {"result": {"loss": 1, "heat": 0}, "error": True},
        {"error": True},
    ]
    for number, arguments in enumerate(results):
        search.suggest(f"t{number}")
        search.on_trial_complete(f"t{number}", **arguments)
    search.on_trial_complete("unknown", {"loss": 1})
    assert [trial.state for trial in search._study.trials] == ["complete"] + ["failed"] * 6
    assert not search._study.best.feasible


def test_saving_and_restoring_changes_nothing(tmp_path: Path):
    def run(search: HilltopSearch, start: int, stop: int) -> list:
        points = []
        for number in range(start, stop):
            points.append(search.suggest(f"t{number}"))
            search.on_trial_complete(f"t{number}", {"loss": points[-1]["x"] ** 2})
        return points

    space = {"x": tune.uniform(-1, 1)}
    whole = run(HilltopSearch(space, metric="loss", mode="min", random_state_seed=4), 0, 20)
    first = HilltopSearch(space, metric="loss", mode="min", random_state_seed=4)
    early = run(first, 0, 12)
    live = first.suggest("t12")
    first.save(str(tmp_path / "state.pkl"))
    second = HilltopSearch(space, metric="loss", mode="min")
    second.restore(str(tmp_path / "state.pkl"))
    second.on_trial_complete("t12", {"loss": live["x"] ** 2})
    assert [*early, live, *run(second, 13, 20)] == whole
    third = HilltopSearch()
    third.set_state(pickle.loads(pickle.dumps(second.get_state())))
    assert len(third._study.trials) == 20


def test_points_to_begin_with():
    points = [{"x": 0.5}, {"x": 0.25}, {"x": 7.0}]
    search = HilltopSearch({"x": tune.uniform(0, 1)}, metric="loss", mode="min", points_to_evaluate=points)
    for number, point in enumerate(points):
        assert search.suggest(f"t{number}") == point
        search.on_trial_complete(f"t{number}", {"loss": point["x"]})
    assert len(search._study.trials) == 2
    search = HilltopSearch(
        {"x": tune.uniform(0, 1)}, metric="loss", mode="min", points_to_evaluate=points, evaluated_rewards=[1, 2, 3]
    )
    assert len(search._study.trials) == 2 and search._points == []
    with pytest.raises(ValueError):
        HilltopSearch(points_to_evaluate=points, evaluated_rewards=[1])


def test_concurrency_is_limited_by_ray_and_by_ourselves():
    limited = ConcurrencyLimiter(HilltopSearch({"x": tune.uniform(0, 1)}, metric="loss", mode="min"), 2)
    assert limited.suggest("a") and limited.suggest("b") and limited.suggest("c") is None
    limited.on_trial_complete("a", {"loss": 1})
    assert limited.suggest("c")


def test_a_finite_space_is_finished():
    search = HilltopSearch({"x": tune.choice([1, 2])}, metric="loss", mode="min")
    answers = [search.suggest(f"t{number}") for number in range(3)]
    assert answers[2] == Searcher.FINISHED


def test_the_tuner_gives_space_and_metric():
    search = HilltopSearch()
    with pytest.raises(RuntimeError):
        search.suggest("t")
    assert search.set_search_properties("loss", "min", {"x": tune.uniform(0, 1)})
    assert not search.set_search_properties("loss", "min", {"y": tune.uniform(0, 1)})
    assert set(search.suggest("t")) == {"x"}


DRIVER = """
import os, sys, time
import ray
from ray import tune
from hilltop.ray import HilltopSearch

folder, address, phase = sys.argv[1:]
ray.init(address=address, log_to_driver=False)

def train(config):
    time.sleep(0.4)
    tune.report({"loss": (config["x"] - 0.3) ** 2 + config["y"], "point": [config["x"], config["y"]]})

if phase == "first":
    tuner = tune.Tuner(
        tune.with_resources(train, {"cpu": 1}),
        param_space={"x": tune.uniform(0, 1), "y": tune.uniform(0, 1)},
        tune_config=tune.TuneConfig(
            search_alg=HilltopSearch(), metric="loss", mode="min", num_samples=60, max_concurrent_trials=8, reuse_actors=True
        ),
        run_config=tune.RunConfig(
            name="cluster", storage_path=folder, verbose=0, failure_config=tune.FailureConfig(max_failures=3),
            checkpoint_config=tune.CheckpointConfig(num_to_keep=1),
        ),
    )
else:
    tuner = tune.Tuner.restore(
        os.path.join(folder, "cluster"), tune.with_resources(train, {"cpu": 1}), resume_errored=True
    )
results = tuner.fit()
print("FINISHED", len(results), results.num_errors, results.get_best_result("loss", "min").metrics["loss"])
"""


def finished(folder: Path) -> dict[str, list]:
    """The points of the trials whose result is on disk."""
    found = {}
    for file in (folder / "cluster").glob("*/result.json"):
        lines = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
        if lines:
            found[lines[-1]["trial_id"]] = lines[-1]["point"]
    return found


def node(arguments: list[str], environment: dict[str, str]) -> subprocess.Popen:
    ray = str(Path(sys.executable).parent / "ray")
    command = [ray, "start", "--block", "--num-cpus=4", "--object-store-memory=100000000", *arguments]
    log = subprocess.DEVNULL
    return subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)


def kill(process: subprocess.Popen) -> None:
    """The process and all that it started, without a chance to say goodbye."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait(30)


@pytest.mark.cluster
def test_a_cluster_of_two_nodes_loses_one_and_no_finished_result(tmp_path: Path):
    environment = {**os.environ, "RAY_TMPDIR": "/tmp", "RAY_AIR_NEW_OUTPUT": "0", "TUNE_GLOBAL_CHECKPOINT_S": "1"}
    port = 20000 + os.getpid() % 20000
    address = f"127.0.0.1:{port}"
    folder = tmp_path / "results"
    folder.mkdir()
    head = node(["--head", f"--port={port}", "--include-dashboard=false", "--node-ip-address=127.0.0.1"], environment)
    second, driver = None, None
    try:
        time.sleep(6)
        second = node([f"--address={address}", "--node-ip-address=127.0.0.1"], environment)
        script = tmp_path / "driver.py"
        script.write_text(DRIVER)
        run = [sys.executable, str(script), str(folder), address]
        driver = subprocess.Popen([*run, "first"], env=environment, start_new_session=True)
        deadline = time.monotonic() + 150
        while len(finished(folder)) < 20 and time.monotonic() < deadline and driver.poll() is None:
            time.sleep(0.2)
        kill(second)
        time.sleep(1)
        kill(driver)
        before = finished(folder)
        assert 20 <= len(before) < 60, len(before)
        done = subprocess.run([*run, "again"], env=environment, capture_output=True, text=True, timeout=240)
        assert "FINISHED 60 0" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
        after = finished(folder)
        assert {trial: after[trial] for trial in before} == before
        # Ray knows nothing of a trial that began after its last snapshot: it stays on disk, and another takes its place.
        assert 60 <= len(after) <= 60 + 8
        assert len({tuple(point) for point in after.values()}) >= 60
    finally:
        for process in (driver, second, head):
            if process is not None:
                kill(process)
