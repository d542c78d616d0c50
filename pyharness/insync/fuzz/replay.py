"""Replay a failing seed, and reduce it to a scenario with fewer faults that fails as well."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

from insync.events.fuzz_info import Class, Reduced
from insync.fuzz.batch import BatchSettings, run_batch, write_scenario
from insync.fuzz.judge import judge_batch
from insync.fuzz.reduce import OutOfTime, Reduction
from insync.fuzz.simpler import fault_parts, length_parts, rebuilt, workload_parts
from insync.progress import Progress
from insync.scenario.model import Scenario

REPLAYS: Final = 10
FIRST_REPLAYS: Final = 3
MOST_TRIES: Final = 3
SECONDS_A_RUN: Final = 15
"""About how long one scenario takes on one arm; a round begins only if there is time for it."""
OVERHEAD_SECONDS: Final = 60
"""About how long a cluster's start and end and the analysis take."""


@dataclass
class Replayer:
    """Runs scenarios of one failing seed on one arm, in folders below `home`.

    `of` is the class of finding that counts; `deadline` is on the monotonic clock.
    """

    arm: str
    of: Class
    home: Path
    bench: BatchSettings
    progress: Progress
    deadline: float = math.inf
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def failures(self, scenarios: Sequence[Scenario], times: int) -> list[int]:
        """Run each scenario so many times in one batch; return how often each failed.

        Raises OutOfTime instead of starting a batch that would end after the deadline.
        """
        needed = OVERHEAD_SECONDS + SECONDS_A_RUN * len(scenarios) * times
        if time.monotonic() + needed > self.deadline:
            raise OutOfTime
        copies = {
            f"candidate-{number}-{time_ + 1}": scenario
            for number, scenario in enumerate(scenarios, 1)
            for time_ in range(times)
        }
        named = {name: self._on_arm(each, name) for name, each in copies.items()}
        folder = self.home / f"round-{next(self._numbers):02}"
        run_batch(list(named.values()), folder, self.bench, self.progress)
        judged = judge_batch(folder, named, self.bench.name)
        failed = {
            name
            for name, each in judged.items()
            if any(finding.of == self.of for finding in each.arms[self.arm].findings)
        }
        return [
            sum(f"candidate-{number}-{time_ + 1}" in failed for time_ in range(times))
            for number in range(1, len(scenarios) + 1)
        ]

    def most_replays(self) -> int:
        """Return how many replays there is time for, at most REPLAYS."""
        left = self.deadline - time.monotonic() - OVERHEAD_SECONDS
        return REPLAYS if left == math.inf else max(0, min(REPLAYS, int(left / SECONDS_A_RUN)))

    def _on_arm(self, scenario: Scenario, name: str) -> Scenario:
        return scenario.model_copy(update={"name": name, "arms": (self.arm,)})


def reduce_seed(seed: int, scenario: Scenario, replayer: Replayer, out: Path) -> Reduced:
    """Replay a seed, reduce it if it fails again, and write the scenario that is left.

    Raises OutOfTime if there is no time for a single replay.
    """
    first = min(FIRST_REPLAYS, replayer.most_replays())
    if first == 0:
        raise OutOfTime
    (failed,) = replayer.failures([scenario], first)
    known = Reduced(
        seed=seed, arm=replayer.arm, of=replayer.of, file=None,
        faults_before=len(scenario.faults), faults=len(scenario.faults), replays=first,
        failed=failed, complete=failed == 0,
    )  # fmt: skip
    if failed == 0:
        return known
    tries = MOST_TRIES if failed < first else 1
    left, complete = reduce_scenario(
        scenario, lambda each: [failed > 0 for failed in replayer.failures(each, tries)]
    )
    name = f"{scenario.name}-{replayer.arm}-{replayer.of}"
    left = left.model_copy(
        update={"name": name, "arms": (replayer.arm,), "summary": f"{scenario.summary}, reduced"}
    )
    file = write_scenario(left, replayer.home / f"{name}.toml")
    replays = replayer.most_replays()
    again = replayer.failures([left], replays)[0] if replays else 0
    return known.model_copy(
        update={
            "file": file.relative_to(out).as_posix(), "faults": len(left.faults),
            "replays": replays or first, "failed": again if replays else failed,
            "complete": complete,
        }
    )  # fmt: skip


def reduce_scenario(
    scenario: Scenario, fails: Callable[[Sequence[Scenario]], Sequence[bool]]
) -> tuple[Scenario, bool]:
    """Return the smallest scenario found that still fails, and whether the search was complete.

    First fewer faults, then a plainer workload with fewer partitions, then shorter faults.
    """
    complete = True
    for parts_of in (fault_parts, workload_parts, length_parts):
        parts, whole = parts_of(scenario), scenario

        def still_fails(
            candidates: Sequence[tuple[str, ...]],
            parts: Sequence[str] = parts,
            whole: Scenario = whole,
        ) -> list[bool]:
            made = [rebuilt(whole, parts, kept) for kept in candidates]
            valid = [each for each in made if each is not None]
            found = iter(fails(valid) if valid else ())
            return [each is not None and next(found) for each in made]

        reduction = Reduction(still_fails)
        kept = reduction.of(parts)
        scenario = rebuilt(whole, parts, kept) or whole
        complete = complete and reduction.complete
    return scenario, complete
