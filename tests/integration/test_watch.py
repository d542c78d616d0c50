"""A run is watched live: agents and harness write to a topic, which Spark streams."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from commands import insync, insync_json, start_insync
from insync.brokers.cluster.admin import client, create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka.distribution import Distribution
from insync_bridge import BridgeClient
from waiting import wait_for

TOPIC = "insync-events"

pytestmark = pytest.mark.cluster


@dataclass(frozen=True)
class Watched:
    """A finished run, the brokers that have its events, and the state folder of the watch."""

    run: Path
    bootstrap: str
    state: Path

    def watch(self) -> dict[str, Any]:
        """Watch once, as a command of its own."""
        picture: dict[str, Any] = insync_json(
            "watch", "--bootstrap", self.bootstrap, "--topic", TOPIC, "--state", self.state,
            "--once",
        )  # fmt: skip
        return picture


@pytest.fixture(scope="module")
def events_broker(
    tmp_path_factory: pytest.TempPathFactory, dist: Distribution
) -> Iterator[LocalCluster]:
    """Start a broker with the topic for events."""
    with LocalCluster(dist, tmp_path_factory.mktemp("events") / "nodes", brokers=1) as cluster:
        create_topic(cluster.bootstrap, TOPIC, [[1], [1], [1]], {})
        yield cluster


@pytest.fixture(scope="module")
def watched(
    tmp_path_factory: pytest.TempPathFactory, events_broker: LocalCluster, judge: Callable[..., Any]
) -> Watched:
    """Run queue-stall without the plugin and with it, its events in a topic of another broker."""
    folder = tmp_path_factory.mktemp("watched")
    ran = insync(
        "run", "queue-stall", "--arms", "stock,request", "--record-only",
        "--out", folder / "run", "--events-topic", TOPIC,
        "--events-bootstrap", events_broker.bootstrap,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "were not published to" not in ran.stderr
    (verdict,) = judge(folder / "run")
    assert verdict["verdict"] == "pass"
    return Watched(folder / "run", events_broker.bootstrap, folder / "state")


@pytest.fixture(scope="module")
def picture(watched: Watched) -> dict[str, Any]:
    """Return what one watch of the topic shows of the run."""
    return watched.watch()


@pytest.fixture(scope="module")
def tables(watched: Watched) -> Callable[[str], list[dict[str, Any]]]:
    """Read a table that was made of the run's files."""
    import polars as pl

    return lambda name: pl.read_parquet(watched.run / "tables" / name / "*.parquet").to_dicts()


@pytest.mark.long
def test_the_figures_are_those_of_the_runs_own_tables(
    picture: dict[str, Any], tables: Callable[[str], list[dict[str, Any]]]
) -> None:
    """The topic gives the same holds, shrinks and times as the files, to the last digit."""
    seen = {row["arm"]: row for row in picture["repeats"]}
    assert set(seen) == {"stock", "request"}
    for arm, row in seen.items():
        shrinks = [each for each in tables("silver/isr_shrinks") if each["arm"] == arm]
        holds = [each for each in tables("silver/holds") if each["arm"] == arm]
        (whole,) = (
            each
            for each in tables("gold/availability")
            if each["arm"] == arm and each["partition"] is None
        )
        (window,) = (each for each in tables("silver/repeats") if each["arm"] == arm)
        assert row["shrinks"] == len(shrinks)
        assert row["holds"] == len(holds)
        assert row["longest_hold_ms"] == max((each["held_ms"] for each in holds), default=None)
        assert {name: row[name] for name in TIMES} == {name: whole[name] for name in TIMES}
        assert row["start_ms"] == window["start_ms"]
        assert row["seen_ms"] == window["end_ms"] - window["start_ms"]
        assert row["complete"]


TIMES = ("under_min_isr_ms", "at_min_isr_ms", "offline_ms")


@pytest.mark.long
def test_the_stall_shows_as_shrinks_without_the_plugin_and_as_holds_with_it(
    picture: dict[str, Any],
) -> None:
    seen = {row["arm"]: row for row in picture["repeats"]}
    assert seen["stock"]["shrinks"] >= 1
    assert seen["request"]["shrinks"] == 0
    assert seen["stock"]["holds"] == 0, "stock has no agent that reports holds"
    assert seen["request"]["holds"] >= 1
    assert "queue-stall" in {row["site"] for row in picture["holds_by_site"]}
    assert {row["arm"] for row in picture["last_shrinks"]} == {"stock"}
    assert picture["problems"] == []
    assert picture["unknown"] == 0


def produce_stranger(watched: Watched, topic: str) -> None:
    """Produce a record that belongs to no run."""
    producer = Producer({"bootstrap.servers": watched.bootstrap})
    producer.produce(topic, b"{}", b"a stranger")
    assert producer.flush(30) == 0


@pytest.mark.long
def test_why_names_the_slow_leader_from_the_same_topic(watched: Watched) -> None:
    """By its files and by the topic it is the same broker and cause, for which stock lost two."""
    live = insync_json("why", "--bootstrap", watched.bootstrap, "--topic", TOPIC, codes=(0, 3))
    (found,) = (each for each in live["answers"] if each["about"].endswith("/request"))
    (slow,) = (each for each in found["findings"] if each["cause"] == "disk")
    (recorded,) = insync_json("why", watched.run, "--arm", "request")["answers"]
    (same,) = (each for each in recorded["findings"] if each["cause"] == "disk")
    assert (slow["broker"], slow["site"]) == (same["broker"], same["site"]) == (1, "queue")
    assert {each["follower"] for each in slow["stock_blames"]} == {2, 3}


@pytest.mark.long
def test_a_restarted_watch_continues_where_it_ended(
    watched: Watched, picture: dict[str, Any]
) -> None:
    """Lines are not read twice; records that belong to no run are counted."""
    assert picture["new_records"] >= picture["lines"] > 0
    produce_stranger(watched, TOPIC)
    more = watched.watch()
    assert more["new_records"] == 1
    assert more["unknown"] == 1
    assert more["repeats"] == picture["repeats"]


@pytest.mark.long
def test_another_topics_state_is_refused(watched: Watched, picture: dict[str, Any]) -> None:
    create_topic(watched.bootstrap, "another", [[1]], {})
    done = insync(
        "watch", "--bootstrap", watched.bootstrap, "--topic", "another", "--state", watched.state,
        "--once",
    )  # fmt: skip
    assert done.returncode == 2
    assert f"holds topic {TOPIC} of cluster" in done.stderr


@pytest.mark.long
def test_a_topic_that_is_not_there_is_bad_input(events_broker: LocalCluster) -> None:
    at = events_broker.bootstrap
    for command in (
        ["watch", "--bootstrap", at, "--topic", "none"],
        ["run", "control", "--events-topic", "none", "--events-bootstrap", at],
    ):
        done = insync(*command)
        assert done.returncode == 2
        assert done.stderr.splitlines()[-1] == (
            f"insync: topic none: not found at {at}, expected an existing topic"
        )


def test_brokers_that_do_not_answer_are_bad_input() -> None:
    done = insync("watch", "--bootstrap", "127.0.0.1:1")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("insync: 127.0.0.1:1: no answer (")


def watch_until(
    end: Callable[[subprocess.Popen[bytes]], object],
    watched: Watched,
    topic: str,
    folder: Path,
    within_s: float,
) -> tuple[int, list[str]]:
    """Watch, call `end` after the first batch; return the exit code and the lines printed."""
    command = ("watch", "--bootstrap", watched.bootstrap, "--topic", topic)
    state, words = folder / "state", folder / "words"
    with words.open("wb") as file:
        watching = start_insync(*command, "--state", state, stdout=file, stderr=file)
    try:
        wait_for(lambda: list(state.glob("lines/batch=*/_SUCCESS")), bool, within_s=240)
        end(watching)
        code = watching.wait(within_s)
    finally:
        watching.kill()
    said = words.read_text(encoding="utf-8").splitlines()
    assert "Traceback" not in "".join(said)
    return code, said


@pytest.mark.long
def test_ctrl_c_ends_the_watch_in_one_line(watched: Watched, tmp_path: Path) -> None:
    """Whatever Spark does at that moment; the next watch has the lines that were read before."""
    code, said = watch_until(
        lambda watching: watching.send_signal(signal.SIGINT), watched, TOPIC, tmp_path, 60
    )
    state = tmp_path / "state"
    assert (code, said[-1]) == (0, f"insync: ended; the events so far are in {state}")
    assert replace(watched, state=state).watch()["lines"] > 0


@pytest.mark.long
def test_deleting_the_topic_ends_the_watch_in_one_line(watched: Watched, tmp_path: Path) -> None:
    create_topic(watched.bootstrap, "passing", [[1]], {})
    produce_stranger(watched, "passing")
    admin = client(watched.bootstrap)

    def delete(_: object) -> None:
        admin.delete_topics(["passing"])["passing"].result()

    code, said = watch_until(delete, watched, "passing", tmp_path, 120)
    assert code == 3
    assert said[-1].startswith("insync: passing: ")


def test_agents_write_to_a_topic_of_their_own_brokers(
    start: Callable[..., LocalCluster], agent: AgentSpec
) -> None:
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
        wait_for(read, both_published, within_s=60)
    finally:
        reader.close()
    for told in came.values():
        assert [line["type"] for line in told[:2]] == ["events_topic", "settings"]
        assert all(line.get("topic") != TOPIC for line in told)
    with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as bridge:
        counters = bridge.counters()
    assert counters.events_published > 0
    assert counters.events_not_published == 0
    assert counters.errors == 0


def test_a_bad_setting_stops_the_broker_with_its_name(
    dist: Distribution, agent: AgentSpec, tmp_path: Path
) -> None:
    settings = {"insync.events.topic": "no such name"}
    cluster = LocalCluster(dist, tmp_path / "nodes", brokers=1, agent=agent, settings=settings)
    with pytest.raises(Exception, match=r"insync\.events\.topic"), cluster:
        pass


def test_without_the_setting_there_is_no_topic(
    start: Callable[..., LocalCluster], agent: AgentSpec
) -> None:
    cluster = start(brokers=1, agent=agent)
    create_topic(cluster.bootstrap, "other", [[1]], {})
    with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as bridge:
        counters = bridge.counters()
    assert (counters.events_published, counters.events_not_published) == (0, 0)
    assert TOPIC not in client(cluster.bootstrap).list_topics(timeout=10).topics
