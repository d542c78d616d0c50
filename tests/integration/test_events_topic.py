"""Agents write their events to a topic, too."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from commands import insync, insync_json
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec
from insync.brokers.kafka.distribution import Distribution
from integration.lab import Lab, StartCluster
from waiting import wait_for

TOPIC = "insync-events"


@dataclass(frozen=True)
class Published:
    """A finished run, and the brokers that have its events."""

    run: Path
    bootstrap: str


@pytest.fixture(scope="module")
def events_broker(
    tmp_path_factory: pytest.TempPathFactory, dist: Distribution
) -> Iterator[LocalCluster]:
    with LocalCluster(dist, tmp_path_factory.mktemp("events") / "nodes", brokers=1) as cluster:
        create_topic(cluster.bootstrap, TOPIC, [[1], [1], [1]], {})
        yield cluster


@pytest.fixture(scope="module")
def published(
    tmp_path_factory: pytest.TempPathFactory, events_broker: LocalCluster, judge: Callable[..., Any]
) -> Published:
    """Run queue-stall without the plugin and with it, its events in a topic of another broker."""
    folder = tmp_path_factory.mktemp("published")
    ran = insync(
        "run", "queue-stall", "--arms", "stock,request", "--record-only",
        "--out", folder / "run", "--events-topic", TOPIC,
        "--events-bootstrap", events_broker.bootstrap,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    (verdict,) = judge(folder / "run")
    assert verdict["verdict"] == "pass"
    return Published(folder / "run", events_broker.bootstrap)


@pytest.mark.long
def test_why_names_the_slow_leader_from_the_same_topic(published: Published) -> None:
    """By its files and by the topic it is the same broker and cause, for which stock lost two."""
    live = insync_json("why", "--bootstrap", published.bootstrap, "--topic", TOPIC, codes=(0, 3))
    (found,) = (each for each in live["answers"] if each["about"].endswith("/request"))
    (slow,) = (each for each in found["findings"] if each["cause"] == "disk")
    (recorded,) = insync_json("why", published.run, "--arm", "request")["answers"]
    (same,) = (each for each in recorded["findings"] if each["cause"] == "disk")
    assert (slow["broker"], slow["site"]) == (same["broker"], same["site"]) == (1, "queue")
    assert {each["follower"] for each in slow["blamed"]} == {2, 3}


@pytest.mark.long
def test_a_topic_that_is_not_there_is_bad_input(events_broker: LocalCluster) -> None:
    at = events_broker.bootstrap
    done = insync("run", "control", "--events-topic", "none", "--events-bootstrap", at)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"insync: topic none: not found at {at}, expected an existing topic"
    )


def test_agents_write_to_a_topic_of_own_brokers(start: StartCluster, agent: AgentSpec) -> None:
    """They find the brokers themselves, wait for the topic, and write no events about it."""
    settings = {"insync.events.topic": TOPIC, "insync.events.origin": "here"}
    cluster = start(brokers=2, agent=agent, settings=settings)
    create_topic(cluster.bootstrap, TOPIC, [[1, 2], [2, 1]], {})
    create_topic(cluster.bootstrap, "other", [[1, 2]], {})
    # With auto-commit it would wait 45 s for a group coordinator when it is closed.
    reader = Consumer(
        {"bootstrap.servers": cluster.bootstrap, "group.id": "none", "enable.auto.commit": False}
    )
    reader.assign([TopicPartition(TOPIC, partition, 0) for partition in (0, 1)])
    came: dict[bytes, list[dict[str, Any]]] = {}

    def read() -> dict[bytes, list[dict[str, Any]]]:
        message = reader.poll(1)
        if message is not None and message.error() is None:
            line = json.loads(message.value() or b"")
            came.setdefault(message.key() or b"", []).append(line)
        return came

    def both_published(_: object) -> bool:
        lines = [line for told in came.values() for line in told]
        leads = any(each.get("topic") == "other" for each in lines)
        began = all(len(told) >= 2 for told in came.values())
        return leads and began and set(came) == {b"here/broker-1.jsonl", b"here/broker-2.jsonl"}

    try:
        wait_for(read, both_published)
    finally:
        reader.close()
    for told in came.values():
        assert [line["type"] for line in told[:2]] == ["events_topic", "settings"]
        assert all(line.get("topic") != TOPIC for line in told)
    with Lab(cluster, agent).bridge() as bridge:
        counters = bridge.counters()
    assert counters.events_published > 0
    assert counters.events_not_published == 0
    assert counters.errors == 0
