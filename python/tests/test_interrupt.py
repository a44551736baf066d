"""Ctrl-C: heard at once, whatever runs; the study continues. Speed of the crossing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import hilltop

#: A fit of many seconds: eight hundred observations of forty parameters, every scale fitted at once.
LONG = """
import os, random, signal, sys, threading, time
import hilltop
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
study = hilltop.Study([(0, 1)] * 40, store=sys.argv[1], seed=1)
rng = random.Random(1)
for _ in range(int(sys.argv[2])):
    study.add([rng.random() for _ in range(40)], rng.random())
begun = []
def press():
    begun.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.5, press).start()
started = time.perf_counter()
try:
    {action}
    print("finished", time.perf_counter() - started)
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - begun[0])
    os._exit(0)
"""


def interrupted(tmp_path: Path, action: str, observations: int) -> float:
    store = tmp_path / "study.db"
    code = LONG.replace("{action}", action)
    done = subprocess.run(
        [sys.executable, "-c", code, str(store), str(observations)], capture_output=True, text=True, timeout=120
    )
    word, seconds = done.stdout.split()
    assert word == "interrupted", done
    return float(seconds)


def test_ctrl_c_during_a_long_fit_is_heard_within_a_fifth_of_a_second(tmp_path: Path):
    latency = interrupted(tmp_path, "study.ask()", 800)
    print(f"latency {latency:.3f} s")
    assert latency < 0.2
    study = hilltop.Study([(0, 1)] * 40, store=tmp_path / "study.db", seed=1)
    assert study._native.trials()[-1][1] == "reserved" and len(study.trials) == 800


def test_a_study_that_was_interrupted_continues(tmp_path: Path):
    assert interrupted(tmp_path, "study.optimize(lambda x: time.sleep(9) or x[0], trials=3)", 3) < 0.2
    study = hilltop.Study([(0, 1)] * 40, store=tmp_path / "study.db", seed=1)
    study.optimize(lambda x: x[0], trials=3)
    assert [trial.state for trial in study.trials] == ["complete"] * 6


def test_an_ask_after_an_interrupted_ask_has_the_number_that_was_reserved():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    study = hilltop.Study([(0, 1)] * 40, seed=1)
    for index in range(400):
        study.add([(index * (k + 3) % 97) / 97 for k in range(40)], float(index % 7))
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        asked = study.ask()
        time.sleep(1)
    except KeyboardInterrupt:
        asked = study.ask()
    assert asked.trial == 400
    running = [trial.number for trial in study.trials if trial.state == "running"]
    assert running == [400]


def test_a_round_trip_costs_microseconds():
    study = hilltop.Study([(0, 1)] * 3, method="random")

    def trips(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            study.tell(study.ask(), 1.0)
        return (time.perf_counter() - start) / count * 1e6

    trips(50)
    best = min(trips(200) for _ in range(8))
    print(f"round trip {best:.0f} µs")
    assert best < 100


def test_import_is_quick_and_brings_nothing():
    code = "import sys, time; t = time.perf_counter(); import hilltop; print(time.perf_counter() - t, *sys.modules)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split() for _ in range(4)]
    best = min(float(run[0]) for run in runs)
    print(f"import {best * 1000:.0f} ms")
    assert best < 0.1
    assert not {"numpy", "pandas", "optuna", "ray", "sklearn", "scipy", "IPython"} & set(runs[0][1:])
