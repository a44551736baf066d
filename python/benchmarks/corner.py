"""A corner that crashes: x + y + 0.1 (x - y)² on the unit square, failing where x + y < 0.7; 60 trials of Optuna, several seeds.

`python corner.py 0 1 2` prints how many trials failed and the best value, of Hilltop's sampler, of TPE and, where torch is
installed, of Optuna's GP sampler.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings

import optuna

from hilltop.optuna import HilltopSampler

optuna.logging.set_verbosity(optuna.logging.CRITICAL)
warnings.simplefilter("ignore")


def corner(trial: optuna.Trial) -> float:
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    if x + y < 0.7:
        raise RuntimeError("crashed")
    return x + y + 0.1 * (x - y) ** 2


def main() -> None:
    samplers = {"hilltop": HilltopSampler, "tpe": optuna.samplers.TPESampler}
    if importlib.util.find_spec("torch"):
        samplers["gp"] = optuna.samplers.GPSampler
    for seed in map(int, sys.argv[1:] or ["0"]):
        for name, sampler in samplers.items():
            study = optuna.create_study(sampler=sampler(seed=seed))
            study.optimize(corner, n_trials=60, catch=RuntimeError)
            failed = sum(trial.state == optuna.trial.TrialState.FAIL for trial in study.trials)
            print(f"seed {seed} {name:8} failed {failed} of 60, best {study.best_value:.4f}", flush=True)


if __name__ == "__main__":
    main()
