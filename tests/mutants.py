"""Agents of which one rule is broken on purpose, and what catches each.

`plugin-java/mutants` writes such an agent as a copy of the real one's jar.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from commands import insync
from insync.artifacts import AGENT_JAR, BUILT
from insync.brokers.kafka.java import Java

MUTANTS: Final = Path(__file__).parents[1] / "plugin-java" / "mutants" / "build"
MUTANTS_JAR: Final = MUTANTS / "libs" / "insync-mutants.jar"
CORE_TESTS: Final = MUTANTS / "core-tests.classpath"
SEED: Final = 5

BROKEN: Final = {
    "never-released": "a pending fetch is never released by its response",
    "released-at-once": "a fetch is released when it begins",
    "released-twice": "a fetch is released again when the follower's next one is pending",
    "clock-from-arrival": "a follower is charged for the time since its fetch arrived",
    "hold-over-leader-change": "fetches of an earlier leader epoch keep followers in the ISR",
    "hold-of-dead-connection": "the pending fetch of a lost connection is not released",
    "step-down-without-limit": "no cool-down and no budget limit step-downs",
    "successor-outside-isr": "a leader gives its partitions to a broker outside of the ISR",
    "append-not-marked": "a leader does not note that an append begins",
    "bound-above-end": "a follower's log start offset is bounded by its log's end + 1",
    "snapshot-too-late": "a response has the log start offset and high watermark of a later time",
    "caught-up-one-fetch-late": "a fetch at the leader's previous end counts as caught up as of"
    " itself, not of the fetch before",
    "mark-kept-for-one-partition": "a fetch of several partitions releases all but one",
    "older-epoch-holds": "a fetch of an older leader epoch (scope `read`) or of an older process of"
    " the follower (`request`) keeps it in the ISR",
    "outsider-caught-up": "an election makes replicas outside of the ISR caught up, too",
    "full-socket-forgiven": "a follower that does not read its responses is not charged",
    "freeze-charged": "followers are charged for the time in which the leader's process is stopped",
    "session-never-forgets": "a partition that a fetch session forgets keeps the session's clock",
    "update-drops-pending": "an update of the scope drops the fetches that are pending",
    "update-not-taken": "an update of the time and the limits of step-downs has no effect",
    "step-down-forgotten": "the controller keeps no record of step-downs, as after a fail-over",
    "slow-peers-ignored": "a leader gives its partitions to peers that look slow",
    "bound-below-watermark": "a follower's log start offset stays below its high watermark",
}
"""The mutants, and what is wrong with each."""


@dataclass(frozen=True)
class Caught:
    """A mutant and what catches it: the metric that an arm of a scenario breaks.

    `scale` is a small one at which it does. Where that is a race, such as isr-expiration against
    a fetch, it has several repeats, of which one must break the metric.
    """

    mutant: str
    scenario: str
    arm: str
    metric: str
    scale: float = 1.0
    repeats: int = 1


CAUGHT: Final = (
    Caught("never-released", "follower-stops-reading", "read", "isr_shrinks"),
    Caught("never-released", "follower-stops-reading", "request", "isr_shrinks"),
    Caught("released-at-once", "read-stall", "read", "isr_shrinks", 0.5),
    Caught("released-at-once", "read-stall", "request", "isr_shrinks"),
    Caught("released-twice", "read-stall", "read", "isr_shrinks"),
    Caught("released-twice", "read-stall", "request", "isr_shrinks"),
    Caught("clock-from-arrival", "pause-after-stall", "read", "isr_shrinks"),
    Caught("clock-from-arrival", "read-stall", "request", "isr_shrinks"),
    Caught("hold-over-leader-change", "new-epoch-mid-stall", "read", "isr_shrinks"),
    Caught("hold-over-leader-change", "new-epoch-mid-stall", "request", "isr_shrinks"),
    Caught("hold-of-dead-connection", "lost-connection-mid-stall", "request", "isr_shrinks"),
    Caught(
        "step-down-without-limit", "rebalance-pulls-back", "step-down", "soonest_return_ms", 0.25
    ),
    Caught("successor-outside-isr", "step-down-shrunk-isr", "step-down", "lost", 0.25),
    Caught("append-not-marked", "write-stall", "step-down", "max_ack_gap_ms", 0.25),
    Caught("bound-above-end", "log-start-race", "bound", "partitions_failed"),
    Caught("snapshot-too-late", "log-start-race", "snapshot", "partitions_failed"),
    # It stays until the kept mark is no longer forgiven, or leaves late.
    Caught(
        "mark-kept-for-one-partition",
        "follower-stops-reading",
        "read",
        "(isr_shrinks|dead_follower_dropped_ms)",
    ),
    Caught("freeze-charged", "freeze", "request", "isr_shrinks", repeats=6),
    Caught("update-drops-pending", "switched-on", "off", "isr_shrinks"),
    Caught("update-not-taken", "limits-updated", "step-down", "leader_changes"),
    Caught("step-down-forgotten", "rebalance-pulls-back", "step-down", "soonest_return_ms", 0.25),
)
"""Which expectation of which built-in scenario catches a mutant."""

BY_MODEL: Final = (
    ("mark-kept-for-one-partition", "read"),
    ("older-epoch-holds", "request"),
    ("outsider-caught-up", "read"),
    ("outsider-caught-up", "request"),
    ("freeze-charged", "request"),
)
"""Mutants that the differential model catches, each with the scope of its histories."""

_RARE: Final = (
    "few of the model's histories have what it takes, and no scenario measures so exactly"
)

ONLY_BY_JAVA: Final = {
    "caught-up-one-fetch-late": _RARE,
    "full-socket-forgiven": _RARE,
    "session-never-forgets": _RARE,
    "slow-peers-ignored": "a partition that a slow broker gets stays for its cool-down, and no"
    " expectation asks who got it",
    "bound-below-watermark": "the follower keeps one record too many, which breaks nothing",
}
"""Mutants that no scenario and no history catches, and why."""

BY_JAVA: Final = {
    "never-released": "isr.ReadScopeTrackerTest",
    "released-at-once": "isr.RequestScopeTrackerTest",
    "released-twice": "isr.ReadScopeTrackerTest",
    "clock-from-arrival": "isr.ReadScopeTrackerTest",
    "hold-over-leader-change": "isr.ReadScopeTrackerTest",
    "hold-of-dead-connection": "isr.RequestScopeTrackerTest",
    "step-down-without-limit": "stepdown.StepDownLimitsTest",
    "successor-outside-isr": "stepdown.SuccessorTest",
    "append-not-marked": "stepdown.AppendMarksTest",
    "bound-above-end": "logstart.LogStartRuleTest",
    "snapshot-too-late": "logstart.LogStartRuleTest",
    "caught-up-one-fetch-late": "isr.RequestScopeTrackerTest",
    "mark-kept-for-one-partition": "isr.ReadScopeTrackerTest",
    "older-epoch-holds": "isr.RequestScopeTrackerTest",
    "outsider-caught-up": "isr.ReadScopeTrackerTest",
    "full-socket-forgiven": "isr.RequestScopeTrackerTest",
    "freeze-charged": "isr.RequestScopeTrackerTest",
    "session-never-forgets": "isr.RequestScopeTrackerTest",
    "update-drops-pending": "isr.ScopeSwitchTest",
    "update-not-taken": "stepdown.StepDownLimitsTest",
    "step-down-forgotten": "stepdown.controller.RelinquishRuleTest",
    "slow-peers-ignored": "stepdown.SuccessorTest",
    "bound-below-watermark": "logstart.LogStartRuleTest",
}
"""A class of the core's own tests, below `insync.core`, that fails with a mutant."""


def write_mutant(java: Java, name: str, out: Path, agent: Path = AGENT_JAR) -> str:
    """Write the agent's jar as a mutant; return what is wrong if the mutant does not fit it."""
    command = [java.binary, "-jar", MUTANTS_JAR, agent, name, out]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == (2 if done.stderr else 0), done.stderr
    return done.stderr


def harness_with(agent: Path, folder: Path) -> dict[str, str]:
    """Return the environment of an `insync` whose agent is another jar; its code is this one's."""
    package = folder / "insync"
    for source, into in ((BUILT.parent, package), (BUILT, package / BUILT.name)):
        into.mkdir(parents=True)
        for file in source.iterdir():
            if file not in (BUILT, AGENT_JAR):
                (into / file.name).symlink_to(file)
    (package / BUILT.name / AGENT_JAR.name).symlink_to(agent)
    return {**os.environ, "PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"}


def names(java: Java) -> list[str]:
    command = [java.binary, "-jar", MUTANTS_JAR]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.split()


def record(java: Java, row: Caught, folder: Path) -> Path:
    """Record the scenario of a row with the mutant as the agent; return the run folder."""
    folder.mkdir(parents=True)
    jar, out = folder / f"{row.mutant}.jar", folder / "run"
    assert write_mutant(java, row.mutant, jar) == ""
    done = insync(
        "run", row.scenario, "--arms", row.arm, "--scale", f"{row.scale:g}",
        "--repeat", str(row.repeats), "--seed", str(SEED), "--record-only", "--out", out,
        env=harness_with(jar, folder / "harness"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = f"[insync] mutant {row.mutant}\n"
    logs = sorted((out / "nodes" / row.arm).rglob("stdout.log"))
    assert logs
    assert all(said in log.read_text(encoding="utf-8") for log in logs)
    return out


def run_core_tests(java: Java, core: Path, tests: str) -> subprocess.CompletedProcess[str]:
    """Run a class of the core's tests on the core in a jar."""
    path = f"{core}:{CORE_TESTS.read_text(encoding='utf-8')}"
    command = [
        java.binary, "-XX:TieredStopAtLevel=1", "-cp", path,
        "org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner",
        "--details=summary", "--disable-ansi-colors", "--select-class", f"insync.core.{tests}",
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
