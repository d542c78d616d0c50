"""A broker with two log directories, of which one fails, or is slow."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from insync.arms import READ, REQUEST
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import NodeExtras
from insync.faults.support.control import ControlFile, Mode, Rule, Site
from insync.faults.support.shim import preload, require_shim
from integration.production.checks import (
    ALL,
    LAG,
    LAG_MS,
    STEP_DOWN,
    TOPIC,
    WITHIN_S,
    StartCluster,
    T,
    Writer,
    bridge,
    isr,
    leader,
    of_type,
    stalled_read,
    stays_whole,
    switch,
    switch_off,
    with_pauses,
)
from waiting import wait_for

pytestmark = pytest.mark.cluster

OTHER = "u"


def with_two_directories(
    start: StartCluster, agent: AgentSpec, folder: Path
) -> tuple[LocalCluster, ControlFile]:
    """Start a cluster whose broker 1 leads a partition in each of two directories."""
    dirs = [folder / "nodes" / "1" / "data", folder / "second"]
    control = ControlFile.create(folder / "stall", folder, 4)
    extras = NodeExtras(
        environment=preload(require_shim(), folder / "stall"),
        settings={"log.dirs": ",".join(map(str, dirs))},
    )
    cluster = start(agent=with_pauses(agent), settings=LAG, extras={1: extras})
    for topic in (TOPIC, OTHER):
        create_topic(cluster.bootstrap, topic, [ALL], {})
    places = {topic: [each for each in dirs if (each / f"{topic}-0").is_dir()]
              for topic in (TOPIC, OTHER)}  # fmt: skip
    assert sorted(places.values()) == sorted([[each] for each in dirs]), "one in each directory"
    return cluster, control


@contextmanager
def slow_directory(control: ControlFile) -> Iterator[None]:
    """Hold every read of the partition in one directory until the block ends."""
    deadline_ns = time.monotonic_ns() + int(WITHIN_S * 1e9)
    rule = Rule(site=Site.READ, mode=Mode.HOLD, target=f"{TOPIC}-0", deadline_ns=deadline_ns)
    slow = control.arm(rule)
    try:
        wait_for(lambda: control.counters(slow).held_now, bool, WITHIN_S)
        yield
    finally:
        control.lift(slow)


@pytest.mark.long
@pytest.mark.parametrize("scope", [READ, REQUEST], ids=["read", "request"])
def test_one_log_directory_is_slow_and_does_not_fail(
    start: StartCluster, agent: AgentSpec, tmp_path: Path, scope: dict[str, str]
) -> None:
    """No ISR shrinks, in neither directory; with step-down another broker leads the partition."""
    cluster, control = with_two_directories(start, agent, tmp_path)
    writer, other = Writer(cluster.bootstrap, TOPIC), Writer(cluster.bootstrap, OTHER)
    with bridge(agent, 1) as broker, writer.writing(), other.writing():
        switch(cluster, broker, scope)
        with slow_directory(control):
            until = time.monotonic() + 2.5 * LAG_MS / 1_000
            while time.monotonic() < until:
                assert isr(cluster) == isr(cluster, topic=OTHER) == ALL
        stays_whole(cluster, 1.0)
        assert leader(cluster) == leader(cluster, topic=OTHER) == 1

        switch(cluster, broker, {**scope, T: "500"})
        with slow_directory(control):
            wait_for(lambda: leader(cluster), lambda now: now != 1, WITHIN_S)
        for topic in (TOPIC, OTHER):
            wait_for(lambda of=topic: isr(cluster, topic=of), lambda now: now == ALL, WITHIN_S)
        answers = wait_for(lambda: broker.counters().step_downs, lambda now: now.done, WITHIN_S)
        assert (answers.refused, answers.failed) == (0, 0)
        switch_off(cluster, broker)
    writer.check_all_are_there()
    other.check_all_are_there()


@pytest.mark.long
def test_one_log_directory_fails_and_the_other_one_goes_on(
    start: StartCluster, agent: AgentSpec, tmp_path: Path
) -> None:
    """The directory goes offline while a read on it is stalled; another broker leads its partition.

    Nothing of the lost partition is left, and the other directory's partition steps down later.
    """
    cluster, control = with_two_directories(start, agent, tmp_path)
    writer, other = Writer(cluster.bootstrap, TOPIC), Writer(cluster.bootstrap, OTHER)
    with bridge(agent, 1) as broker, writer.writing(), other.writing():
        switch(cluster, broker, READ)
        with stalled_read(broker):
            stays_whole(cluster, 1.5)
            failing = control.arm(
                Rule(
                    site=Site.WRITE, mode=Mode.FAIL, target=f"{TOPIC}-0",
                    deadline_ns=time.monotonic_ns() + int(10 * WITHIN_S * 1e9),
                )
            )  # fmt: skip
            wait_for(lambda: leader(cluster), lambda now: now != 1, WITHIN_S)
        assert control.counters(failing).calls > 0
        wait_for(lambda: isr(cluster), lambda now: now == [2, 3], WITHIN_S)
        assert leader(cluster, topic=OTHER) == 1
        wait_for(lambda: isr(cluster, topic=OTHER), lambda now: now == ALL, WITHIN_S)

        switch(cluster, broker, STEP_DOWN)
        with stalled_read(broker, f"{OTHER}-0"):
            wait_for(lambda: leader(cluster, topic=OTHER), lambda now: now != 1, WITHIN_S)
        wait_for(lambda: isr(cluster, topic=OTHER), lambda now: now == ALL, WITHIN_S)
        wait_for(lambda: broker.counters().step_downs.done, bool, WITHIN_S)
        assert {line["topic"] for line in of_type(agent, 1, "step_down")} == {OTHER}
        switch_off(cluster, broker)
    writer.check_all_are_there()
    other.check_all_are_there()
