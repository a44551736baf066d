"""What a method written in Python knows when it proposes."""

from __future__ import annotations

import random
from typing import Any, Protocol


class History:
    """Everything that happened, for ``propose(history)``.

    ``trial``: the number of the trial to propose; ``seed``, ``budget``: the study's; ``parameters``: the points observed,
    in order; ``objective``: their objective, always to be minimised; ``outputs``: every output by name, in the user's own
    direction; ``pending``: points under way; ``failures``: points that failed, with their reasons.
    """

    __slots__ = ("budget", "failures", "objective", "outputs", "parameters", "pending", "seed", "trial")

    def __init__(
        self,
        trial: int,
        seed: int,
        budget: int | None,
        parameters: list[dict[str, Any]],
        objective: list[float],
        outputs: dict[str, list[float]],
        pending: list[dict[str, Any]],
        failures: list[tuple[dict[str, Any], str]],
    ) -> None:
        self.trial = trial
        self.seed = seed
        self.budget = budget
        self.parameters = parameters
        self.objective = objective
        self.outputs = outputs
        self.pending = pending
        self.failures = failures

    def __len__(self) -> int:
        return len(self.objective)

    def rng(self) -> random.Random:
        """The generator of this trial: the same whenever it is proposed, so that a study can be continued exactly."""
        return random.Random(f"{self.seed}:{self.trial}")


class Proposes(Protocol):
    """A method: whatever has ``propose(history)`` and answers with parameters."""

    def propose(self, history: History, /) -> dict[str, Any]:
        """The point of trial ``history.trial``."""
