"""A broker with two log directories, of which one fails while a read on it is stalled."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from insync.arms import READ
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.node import NodeExtras
from insync.faults.support.control import ControlFile, Mode, Rule, Site
from insync.faults.support.shim import preload, require_shim
from integration.production.checks import (
    ALL,
    LAG,
    STEP_DOWN,
    TOPIC,
    WITHIN_S,
    StartCluster,
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


@pytest.mark.long
def test_one_log_directory_fails_and_the_other_one_goes_on(
    start: StartCluster, agent: AgentSpec, tmp_path: Path
) -> None:
    """The directory goes offline while a read on it is stalled; another broker leads its partition.

    Nothing of the lost partition is left, and the other directory's partition steps down later.
    """
    dirs = [tmp_path / "nodes" / "1" / "data", tmp_path / "second"]
    control = ControlFile.create(tmp_path / "stall", tmp_path, 4)
    extras = NodeExtras(
        environment=preload(require_shim(), tmp_path / "stall"),
        settings={"log.dirs": ",".join(map(str, dirs))},
    )
    cluster = start(agent=with_pauses(agent), settings=LAG, extras={1: extras})
    for topic in (TOPIC, OTHER):
        create_topic(cluster.bootstrap, topic, [ALL], {})
    places = {topic: [each for each in dirs if (each / f"{topic}-0").is_dir()]
              for topic in (TOPIC, OTHER)}  # fmt: skip
    assert sorted(places.values()) == sorted([[each] for each in dirs]), "one in each directory"

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
