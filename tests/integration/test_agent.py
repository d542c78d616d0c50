"""The agent in real brokers: its config, its metrics, its events, and what it refuses."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commands import insync, invoke_json, invoke_refused
from insync.arms import FEATURE, LAG_POLICY, PROCESS_TIME, SCOPE
from insync.artifacts import AGENT_JAR
from insync.brokers.cluster.admin import client, create_topic
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec, NodeExtras
from insync.brokers.kafka.cache import woven_classes
from insync.brokers.kafka.distribution import Distribution
from insync.errors import InsyncError
from insync.faults.support.disk import mounts
from insync.workload.prefill import burst
from insync_bridge import BridgeClient
from integration.lab import ALL, BOTH_ROLES, Lab, Program, StartCluster
from waiting import wait_for

LAG_MS = 3_000
MISSPELT = "insync.relinquish.cooldwn.ms"
EVENTS_TOPIC = "insync.events.topic"
METRICS = Path(__file__).parents[2] / "docs" / "operate" / "metrics.md"
ROW = re.compile(r"^\| `(kafka[^`]+)` \| \w+ \| [^|]+ \| (.*) \|$", re.M)
TAG = re.compile(r",(\w+)=([A-Z]+)$")
LOGGERS = ("(Agent)", "(PendingReads)", "(StepDown)", "(Controller)")
"""The last parts of the loggers' names, with which these brokers' layout ends a line."""


def documented() -> Iterator[str]:
    """Yield every name with each value of its tag, without those of partitions."""
    for name, says in ROW.findall(METRICS.read_text(encoding="utf-8")):
        tag = TAG.search(name)
        if tag is None:
            yield name
        elif "topic=TOPIC" not in name:
            values = says.split(f"{tag[2]}: ")[1].split(", ")
            yield from (f"{name[: tag.start()]},{tag[1]}={value.strip('`')}" for value in values)


def named() -> set[str]:
    """Return the documented names as JMX writes them: their keys in order."""
    parts = (name.split(":") for name in documented())
    return {f"{domain}:{','.join(sorted(keys.split(',')))}" for domain, keys in parts}


def types(lab: Lab) -> set[str]:
    return {event["type"] for event in lab.events()}


@pytest.fixture(scope="module")
def on(dist: Distribution, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Start three brokers with the feature, which several tests use and leave as they were."""
    folder = tmp_path_factory.mktemp("on")
    agent = agent_in(folder)
    settings = {FEATURE: "true", "replica.lag.time.max.ms": str(LAG_MS), MISSPELT: "1000"}
    with LocalCluster(dist, folder / "nodes", agent=agent, settings=settings) as cluster:
        yield Lab(cluster, agent)


OFF, STOCK, OWN = 1, 2, 3
"""The brokers of `apart`: with the agent and the lab, without, and as in production."""


@pytest.fixture(scope="module")
def apart(dist: Distribution, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("apart")
    flags = [f"-javaagent:{AGENT_JAR}=on-unsupported=fail"]
    settings = {FEATURE: "true", PROCESS_TIME: "2000", LAG_POLICY: "time"}
    extras = {OWN: NodeExtras(flags=flags, settings=settings)}
    agent = replace(agent_in(folder), nodes=[OFF])
    with LocalCluster(dist, folder / "nodes", agent=agent, extras=extras) as cluster:
        yield Lab(cluster, agent)


def agent_in(folder: Path) -> AgentSpec:
    return AgentSpec(jar=AGENT_JAR, events_dir=folder, bridge_dir=folder, cache=woven_classes())


@pytest.mark.parametrize("wrong", [{FEATURE: "perhaps"}, {EVENTS_TOPIC: "no such name"}])
def test_a_bad_value_stops_the_start_with_kafkas_config_exception(
    start: StartCluster, agent: AgentSpec, wrong: dict[str, str]
) -> None:
    """One config of the agent and one of the lab; WeaveTest has all the others."""
    with pytest.raises(InsyncError, match=r"ConfigException.*" + next(iter(wrong))):
        start(brokers=1, agent=agent, settings=wrong, quorum=BOTH_ROLES)


def test_the_start_says_what_is_on_and_which_setting_no_one_knows(on: Lab, apart: Lab) -> None:
    assert f"[insync] broker 1: {FEATURE}=true, {SCOPE}=" in on.log()
    meant = "insync.relinquish.cooldown.ms"
    assert f"{MISSPELT} is not a config of this broker; expected {meant}?" in on.log()
    assert f"[insync] broker 1: {FEATURE}=false\n" in apart.log(OFF)


def test_on_the_config_is_described_and_the_metrics_are_there(on: Lab, program: Program) -> None:
    described = program("DescribeConfig", on.cluster.bootstrap, "1", FEATURE).strip()
    assert described.startswith("BOOLEAN|true|STATIC_BROKER_CONFIG|false|Whether a follower stays")
    found = set()
    for attribute in ("Value", "Count"):
        found |= on.jmx(program, "kafka.server:*", attribute).keys()
    assert {name for name in named() if name.startswith("kafka.server:")} <= found


def test_off_by_default_and_described_so(apart: Lab, program: Program) -> None:
    described = program("DescribeConfig", apart.server(OFF), str(OFF), FEATURE)
    assert described.startswith("BOOLEAN|false|DEFAULT_CONFIG|false|")
    assert apart.events("settings")[0][FEATURE] is False


def test_without_the_agent_a_broker_has_no_config_no_metric_and_no_line_of_it(
    apart: Lab, program: Program
) -> None:
    assert program("DescribeConfig", apart.server(STOCK), str(STOCK), FEATURE).strip() == "none"
    assert not named() & apart.jmx(program, "kafka.*:*", "Value", STOCK).keys()
    said = apart.log(STOCK).splitlines()
    assert not [line for line in said if "[insync]" in line or line.endswith(LOGGERS)]


def test_a_broker_without_the_lab_has_the_metrics_and_is_told_what_needs_the_lab(
    apart: Lab, program: Program
) -> None:
    errors = {
        name: value
        for name, value in apart.jmx(program, "kafka.*:*", "Value", OWN).items()
        if "name=Errors,type=Insync" in name
    }
    assert {float(value) for value in errors.values()} == {0}
    assert "kafka.server:name=Errors,type=InsyncAgent" in errors
    log = apart.log(OWN)
    assert "solution 1 is on, scope request; solution 2 is on, T 2000 ms." in log
    unknown = "is not a config of this broker; expected the agent's option lab="
    assert f"{LAG_POLICY} {unknown}" in log
    assert "[insync] error" not in log


def test_marks_come_and_go_with_the_followers_fetches(on: Lab) -> None:
    create_topic(on.cluster.bootstrap, "events", [ALL], {"min.insync.replicas": "2"})
    with on.bridge() as broker:
        counters = wait_for(broker.counters, lambda seen: seen.released_total > 2)
        partition = broker.replicas("events", 0)
    assert counters.errors == 0, counters.last_error
    assert counters.marks_total == (
        counters.released_total + counters.cleared_total + counters.pending_now
    )
    assert partition is not None
    assert partition.isr == (1, 2, 3)
    assert [replica.in_isr for replica in partition.replicas] == [True, True, True]
    assert {"agent_installed", "settings", "bridge_open", "leader_change"} <= types(on)
    wait_for(lambda: types(on), lambda seen: "pending" in seen)


def test_state_shows_the_replicas_of_a_running_cluster(
    on: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    create_topic(on.cluster.bootstrap, "shown", [ALL], {"min.insync.replicas": "2"})
    file = str(on.agent.bridge_dir / "bridge-1.json")
    shown = insync("state", file)
    assert shown.returncode == 0, shown.stderr
    assert "shown" in shown.stdout
    (partition,) = wait_for(
        lambda: invoke_json(capsys, "state", file, "--topic", "shown"),
        lambda seen: all(follower["last_fetch_ms"] for follower in seen[0]["replicas"][1:]),
    )
    for follower in partition["replicas"][1:]:
        assert (follower["log_start_offset"], follower["leo"]) == (0, 0)
        assert (follower["last_fetch_leader_leo"], follower["last_caught_up_ms"] > 0) == (0, True)
    invoke_refused(capsys, "state", str(on.agent.bridge_dir / "none.json"))


def test_off_nothing_is_marked_and_no_event_published(apart: Lab) -> None:
    create_topic(apart.cluster.bootstrap, "events", [ALL], {"min.insync.replicas": "2"})
    with apart.bridge() as broker:
        counters = broker.counters()
        partition = wait_for(
            lambda: broker.replicas("events", 0),
            lambda seen: seen is not None and all(each.last_fetch_ms for each in seen.replicas[1:]),
        )
    assert (counters.marks_total, counters.errors) == (0, 0)
    assert partition is not None
    followers = partition.replicas[1:]
    assert [each.last_fetch_leader_leo for each in followers] == [0, 0], "shown when off, too"
    assert (counters.events_published, counters.events_not_published) == (0, 0)
    assert set(client(apart.cluster.bootstrap).list_topics(timeout=10).topics) == {"events"}


def test_a_dead_follower_leaves_the_isr_and_its_state_is_reported(on: Lab) -> None:
    """A dead follower's last fetch ends, and with it the mark: it does not stay in the ISR."""
    create_topic(on.cluster.bootstrap, "bereft", [ALL], {"min.insync.replicas": "1"})

    def shrinks() -> list[dict[str, Any]]:
        return [event for event in on.events("isr_shrink") if event["topic"] == "bereft"]

    on.cluster.kill(3)
    try:
        burst(on.cluster.bootstrap, "bereft", 0, 1, record_bytes=10)
        shrink = wait_for(shrinks, bool)[0]
    finally:
        on.cluster.restart(3)
    assert (shrink["topic"], shrink["partition"]) == ("bereft", 0)
    assert shrink["isr"] == [1, 2, 3]
    assert shrink["proposed"] == [1, 2]
    assert [follower["replica"] for follower in shrink["followers"]] == [3]
    assert shrink["followers"][0]["lag_ms"] > LAG_MS


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.skip("mounting a tmpfs needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    mounts.run("mount", "-t", "tmpfs", "-o", "size=64k", "events", str(folder))
    try:
        yield folder
    finally:
        mounts.run("umount", str(folder))


def test_a_full_disk_costs_events_which_are_counted_and_nothing_else(
    small_disk: Path, start: StartCluster, agent: AgentSpec
) -> None:
    agent = replace(agent, events_dir=small_disk)
    cluster = start(brokers=1, agent=agent, settings={FEATURE: "true"}, quorum=BOTH_ROLES)
    filler = small_disk / "filler"
    with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as broker:
        with pytest.raises(OSError, match="No space"), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1_024))
        # An event of each new leader: more than the last page holds.
        create_topic(cluster.bootstrap, "full", [[1]] * 40, {})
        wait_for(lambda: broker.counters().events_dropped, bool, 30)
        assert broker.counters().errors == 0
        filler.unlink()
        create_topic(cluster.bootstrap, "later", [[1]], {})
        wait_for(lambda: "later" in topics(agent), bool, 30)


def topics(agent: AgentSpec) -> set[object]:
    """Return the topics of the file's events; lines that the full disk cut are left out."""
    lines = agent.events_file(1).read_text(encoding="utf-8").splitlines()
    whole = [line for line in lines if line.endswith("}")]
    assert len(lines) - len(whole) <= 1
    return {json.loads(line).get("topic") for line in whole}
