import time
from pathlib import Path

import pytest

from insync.arms import PROCESS_TIME, READ, REQUEST
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.node import NodeExtras
from insync.faults.support.control import ControlFile, Mode, Site
from insync.faults.support.shim import preload, require_shim
from integration.lab import (
    ALL,
    LAG_MS,
    STEP_DOWN,
    TOPIC,
    WITHIN_S,
    Lab,
    StartLab,
    rule,
    stalled_calls,
    stalled_read,
)
from waiting import wait_for

OTHER = "u"


def with_two_directories(start_lab: StartLab, folder: Path) -> tuple[Lab, ControlFile]:
    """Start a cluster whose broker 1 leads a partition in each of two directories."""
    dirs = [folder / "nodes" / "1" / "data", folder / "second"]
    control = ControlFile.create(folder / "stall", folder, 4)
    extras = NodeExtras(
        environment=preload(require_shim(), folder / "stall"),
        settings={"log.dirs": ",".join(map(str, dirs))},
    )
    lab = start_lab(extras={1: extras})
    create_topic(lab.cluster.bootstrap, OTHER, [ALL], {})
    places = {topic: [each for each in dirs if (each / f"{topic}-0").is_dir()]
              for topic in (TOPIC, OTHER)}  # fmt: skip
    assert sorted(places.values()) == sorted([[each] for each in dirs]), "one in each directory"
    return lab, control


@pytest.mark.long
@pytest.mark.parametrize("scope", [READ, REQUEST], ids=["read", "request"])
def test_one_log_directory_is_slow_and_does_not_fail(
    start_lab: StartLab, tmp_path: Path, scope: dict[str, str]
) -> None:
    """No ISR shrinks, in neither directory; with step-down another broker leads the partition."""
    lab, control = with_two_directories(start_lab, tmp_path)
    with lab.writing(), lab.writing(OTHER), lab.bridge() as broker:
        lab.switch(broker, scope)
        with stalled_calls(control, Site.READ):
            until = time.monotonic() + 2.5 * LAG_MS / 1_000
            while time.monotonic() < until:
                assert lab.isr() == lab.isr(OTHER) == ALL
        lab.stays_whole(1.0)
        assert lab.leader() == lab.leader(OTHER) == 1

        lab.switch(broker, {**scope, PROCESS_TIME: "500"})
        with stalled_calls(control, Site.READ):
            lab.await_other_leader()
        for topic in (TOPIC, OTHER):
            lab.await_isr(topic=topic)
        answers = wait_for(lambda: broker.counters().step_downs, lambda now: now.done, WITHIN_S)
        assert (answers.refused, answers.failed) == (0, 0)
        lab.switch_off(broker)


@pytest.mark.long
def test_one_log_directory_fails_and_the_other_goes_on(start_lab: StartLab, tmp_path: Path) -> None:
    """The directory goes offline while a read on it is stalled; another broker leads its partition.

    Nothing of the lost partition is left, and the other directory's partition steps down later.
    """
    lab, control = with_two_directories(start_lab, tmp_path)
    with lab.writing(), lab.writing(OTHER), lab.bridge() as broker:
        lab.switch(broker, READ)
        with stalled_read(broker):
            lab.stays_whole(1.5)
            failing = control.arm(rule(Site.WRITE, Mode.FAIL))
            lab.await_other_leader()
        assert control.counters(failing).calls > 0
        lab.await_isr([2, 3])
        assert lab.leader(OTHER) == 1
        lab.await_isr(topic=OTHER)

        lab.switch(broker, STEP_DOWN)
        with stalled_read(broker, f"{OTHER}-0"):
            lab.await_other_leader(OTHER)
        lab.await_isr(topic=OTHER)
        wait_for(lambda: broker.counters().step_downs.done, bool, WITHIN_S)
        assert {line["topic"] for line in lab.events("step_down")} == {OTHER}
        lab.switch_off(broker)
