"""COCO's bbob suite by its protocol: `pip install hilltop coco-experiment cocopp`, then

    python bbob.py --dimensions 2,3,5 --budget 30 --method auto
    python -m cocopp exdata/hilltop-auto

The budget is a multiple of the dimension. Problems have no hard bounds; their region of interest is searched. The solver
sees nothing but `problem(x)`, is asked for points one by one (it does not know its budget), and ends when the budget is spent
or COCO says that the final target is hit.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cocoex  # noqa: E402

import hilltop  # noqa: E402


def solve(problem: cocoex.Problem, method: str, budget: int, seed: int) -> None:
    """Spends a budget on a problem."""
    study = hilltop.Study(list(zip(problem.lower_bounds, problem.upper_bounds)), method=method, seed=seed)
    problem(problem.dimension * [0.0])
    while problem.evaluations < budget and not problem.final_target_hit:
        asked = study.ask()
        study.tell(asked, problem(asked.x))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="bbob")
    parser.add_argument("--dimensions", default="2,3,5")
    parser.add_argument("--functions", default="1-24")
    parser.add_argument("--instances", default="1-5")
    parser.add_argument("--budget", type=int, default=30, help="evaluations a dimension")
    parser.add_argument("--method", default="auto")
    given = parser.parse_args()
    options = f"dimensions:{given.dimensions} function_indices:{given.functions} instance_indices:{given.instances}"
    suite = cocoex.Suite(given.suite, "", options)
    observer = cocoex.Observer(given.suite, f"result_folder: hilltop-{given.method} algorithm_name: hilltop-{given.method}")
    for problem in suite:
        problem.observe_with(observer)
        solve(problem, given.method, given.budget * problem.dimension, seed=problem.id_instance)
        print(problem.id, problem.evaluations, f"{problem.best_observed_fvalue1:.6g}", flush=True)
        problem.free()


if __name__ == "__main__":
    main()
