"""Random forests on breast-cancer: Hilltop, Optuna's TPE and random search, 40 evaluations each, several seeds.

The space is that of the GO-UCB paper's appendix D.2. `python forest.py 0 1 2 3 4` prints a line a seed and the means. The
objective is the mean accuracy of a cross-validation of three fixed folds; the forest's own seed is fixed too.
"""

from __future__ import annotations

import sys
import time
import warnings

import optuna
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

import hilltop
from hilltop.optuna import HilltopSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.simplefilter("ignore")
X, y = load_breast_cancer(return_X_y=True)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def score(point: dict) -> float:
    forest = RandomForestClassifier(random_state=0, n_jobs=1, **point)
    return float(cross_val_score(forest, X, y, cv=FOLDS).mean())


def objective(trial: optuna.Trial) -> float:
    return score(
        {
            "n_estimators": trial.suggest_int("n_estimators", 20, 200),
            "criterion": trial.suggest_categorical("criterion", ["gini", "entropy", "log_loss"]),
            "max_depth": trial.suggest_int("max_depth", 1, 10),
            "min_samples_split": trial.suggest_int("min_samples_split", 2, 10),
            "min_samples_leaf": trial.suggest_int("min_samples_leaf", 1, 10),
            "max_features": trial.suggest_categorical("max_features", ["sqrt", "log2"]),
            "bootstrap": trial.suggest_categorical("bootstrap", [True, False]),
        }
    )


def main() -> None:
    samplers = {
        "hilltop": lambda seed: HilltopSampler(seed=seed),
        "tpe": lambda seed: optuna.samplers.TPESampler(seed=seed),
        "random": lambda seed: optuna.samplers.RandomSampler(seed=seed),
    }
    found: dict[str, list[float]] = {name: [] for name in samplers}
    for seed in map(int, sys.argv[1:] or ["0"]):
        for name, sampler in samplers.items():
            start = time.perf_counter()
            study = optuna.create_study(direction="maximize", sampler=sampler(seed))
            study.optimize(objective, n_trials=40)
            found[name].append(study.best_value)
            print(f"seed {seed} {name:8} {study.best_value:.5f}  {time.perf_counter() - start:.1f} s", flush=True)
    for name, values in found.items():
        print(f"mean {name:8} {sum(values) / len(values):.5f} of {len(values)} seeds")
    print(f"hilltop {hilltop.__version__}, optuna {optuna.__version__}")


if __name__ == "__main__":
    main()
