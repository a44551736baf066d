"""A run: trials are evaluated, one after another where they are called from, or several at once."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._arrays import array
from ._outcome import MISTAKES, outcome, reason
from ._progress import Progress
from .errors import EvaluationWarning, ExhaustedError, TrialError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ._study import Study

#: How long a worker that may not propose yet waits, in seconds.
LOOK = 0.01


class Run:
    """The evaluation of a study's trials by a Python function."""

    def __init__(
        self,
        study: Study,
        objective: Callable[[Any], Any],
        trials: int | None,
        callback: Callable[..., Any] | None,
        catch: Any,
        executor: Executor | None,
        progress: bool | None,
    ) -> None:
        if not callable(objective):
            raise TypeError(f"the objective is {objective!r}, not a function")
        self.study = study
        self.objective = objective
        self.left = trials
        self.callback = callback
        self.catch = () if catch is None else catch
        self.executor = executor
        self.worker = study._native.worker()
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.error: BaseException | None = None
        self.warned: set[str] = set()
        budget = study._description.get("budget")
        done = study._native.begun()
        self.progress = Progress.begin(progress, done, done + trials if trials is not None else budget)

    def go(self) -> None:
        """Runs to the end; Ctrl-C and exceptions leave a study that continues."""
        parallel = self.study._description["parallel"]
        try:
            if parallel == 1 and self.executor is None:
                self.work()
            else:
                self.side_by_side(parallel)
        finally:
            self.stopped.set()
            self.progress.end()
        if self.error is not None:
            raise self.error

    def side_by_side(self, parallel: int) -> None:
        threads = [threading.Thread(target=self.safely, daemon=True) for _ in range(parallel)]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.05)

    def safely(self) -> None:
        try:
            self.work()
        except BaseException as error:
            with self.lock:
                self.error = self.error or error
            self.stopped.set()

    def work(self) -> None:
        """Evaluates until nothing is left."""
        while not self.stopped.is_set() and self.take():
            try:
                kind, asked = self.worker.task()
            except ExhaustedError:
                return
            if asked is not None:
                self.evaluate(*asked)
            elif kind == "wait":
                self.give_back()
                self.stopped.wait(LOOK)
            else:
                return

    def take(self) -> bool:
        with self.lock:
            if self.left is None:
                return True
            self.left -= 1
            return self.left >= 0

    def give_back(self) -> None:
        with self.lock:
            if self.left is not None:
                self.left += 1

    def evaluate(self, trial: int, parameters: dict[str, Any]) -> None:
        study, start = self.study, time.perf_counter()
        found = self.found(array(parameters.values()) if study._box else parameters)
        seconds = time.perf_counter() - start
        try:
            if isinstance(found, str):
                study._native.fail(trial, found, seconds)
            else:
                study._native.tell(trial, found, seconds)
        except TrialError:
            # Somebody told this trial by hand; theirs was first.
            return
        self.told(trial, found)

    def warn(self, message: str) -> None:
        """Points at the objective: whoever called us may be another thread."""
        code = getattr(self.objective, "__code__", None)
        if code is None:
            warnings.warn(message, EvaluationWarning, stacklevel=2)
        else:
            warnings.warn_explicit(message, EvaluationWarning, code.co_filename, code.co_firstlineno)

    def found(self, point: Any) -> dict[str, float] | str:
        try:
            if self.executor is None:
                returned = self.objective(point)
            else:
                returned = self.executor.submit(self.objective, point).result()
        except self.catch as error:
            return reason(error)
        except MISTAKES:
            raise
        except Exception as error:
            return reason(error)
        return outcome(returned, self.study._outputs, self.study._objective)

    def told(self, trial: int, found: dict[str, float] | str) -> None:
        with self.lock:
            if isinstance(found, str) and found not in self.warned and len(self.warned) < 5:
                self.warned.add(found)
                self.warn(f"trial {trial} failed: {found}")
            self.progress.show(self.study, isinstance(found, str))
            if self.callback is None:
                return
            from ._study import Trial

            try:
                ended = self.callback(self.study, Trial(*self.study._native.trials(trial)[0]))
            except StopIteration:
                ended = True
            if ended:
                self.stopped.set()
