"""What Python adds: a round trip of `random`, sixty of `auto` (compare `cargo run -p hilltop-py --example overhead`), the import."""

from __future__ import annotations

import subprocess
import sys
import time

import hilltop


def trips(method: str, count: int) -> float:
    """The seconds of so many asks and tells."""
    study = hilltop.Study([(0, 1)] * 6, method=method, seed=1)
    start = time.perf_counter()
    for _ in range(count):
        asked = study.ask()
        study.tell(asked, sum((x - 0.3) ** 2 for x in asked.parameters.values()))
    return time.perf_counter() - start


def main() -> None:
    quick = min(trips("random", 200) for _ in range(20)) / 200
    long = trips("random", 2000) / 2000
    print(f"a round trip of random: {quick * 1e6:.1f} µs over the first 200 trials, {long * 1e6:.1f} µs over the first 2000")
    print(f"sixty asks and tells of auto in Python: {min(trips('auto', 60) for _ in range(7)):.3f} s, the best of seven")
    code = [sys.executable, "-X", "importtime", "-c", "import hilltop"]
    runs = [subprocess.run(code, capture_output=True, text=True).stderr.splitlines()[-1] for _ in range(5)]
    print(f"import: {min(int(run.split('|')[1]) for run in runs) / 1000:.1f} ms, the best of five")


if __name__ == "__main__":
    main()
