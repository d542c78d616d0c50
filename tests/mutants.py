"""Runs built-in scenarios with agents of which one rule is broken on purpose.

`plugin-java/mutants` writes such an agent as a copy of the real one's jar.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from insync.artifacts import AGENT_JAR
from insync.brokers.kafka.java import Java
from insync.run.plan import resolve
from insync.run.progress import NoProgress
from insync.run.request import RunRequest
from insync.run.runner import execute

MUTANTS_JAR: Final = (
    Path(__file__).parents[1] / "plugin-java" / "mutants" / "build" / "libs" / "insync-mutants.jar"
)
SEED: Final = 5


@dataclass(frozen=True)
class Caught:
    """A mutant and what catches it: the metric that an arm of a scenario breaks.

    Attributes:
        scale: the smallest at which it does so reliably.

    """

    mutant: str
    scenario: str
    arm: str
    metric: str
    scale: float = 1.0

    @property
    def name(self) -> str:
        return f"{self.mutant}-{self.scenario}-{self.arm}"


CAUGHT: Final = (
    Caught("never-released", "follower-stops-reading", "read", "isr_shrinks"),
    Caught("never-released", "follower-stops-reading", "request", "isr_shrinks"),
    Caught("released-at-once", "read-stall", "read", "isr_shrinks"),
    Caught("released-at-once", "send-stall", "request", "isr_shrinks"),
    Caught("released-twice", "read-stall", "read", "isr_shrinks"),
    Caught("released-twice", "send-stall", "request", "isr_shrinks"),
    Caught("clock-from-arrival", "read-stall", "request", "isr_shrinks"),
    Caught("step-down-without-limit", "rebalance-pulls-back", "step-down", "leader_changes", 0.25),
    Caught("successor-outside-isr", "step-down-shrunk-isr", "step-down", "lost", 0.25),
    Caught("bound-above-end", "log-start-race", "bound", "partitions_failed"),
    Caught("snapshot-too-late", "log-start-race", "snapshot", "partitions_failed"),
)
"""Which expectation of which scenario catches a mutant."""


def write_mutant(java: Java, name: str, out: Path) -> Path:
    """Write the agent's jar as a mutant; raises if the mutant does not fit the agent."""
    command = [java.binary, "-jar", MUTANTS_JAR, AGENT_JAR, name, out]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return out


def mutants(java: Java) -> list[str]:
    """Return the names of all mutants."""
    command = [java.binary, "-jar", MUTANTS_JAR]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.split()


def record_mutant(java: Java, row: Caught, folder: Path) -> Path:
    """Record the scenario of a row with the mutant as the agent; return the run folder."""
    folder.mkdir(parents=True)
    jar = write_mutant(java, row.mutant, folder / f"{row.mutant}.jar")
    run = folder / "run"
    request = RunRequest(
        scenario=row.scenario, arms=[row.arm], scale=row.scale, repeats=1, seed=SEED
    )
    plan = replace(resolve(request, run, NoProgress()), agent_jar=jar)
    execute(plan, NoProgress())
    return run


def announced(run: Path, mutant: str) -> Iterator[bool]:
    """Yield of each broker's log of a recorded run whether its agent said that it is the mutant."""
    for log in run.rglob("broker-*.log"):
        yield f"[insync] mutant {mutant}" in log.read_text(encoding="utf-8")
