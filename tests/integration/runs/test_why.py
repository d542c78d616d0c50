"""`insync why` on real recorded runs: the slow broker, and how often it is right."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import Producer

from analysed import unpack
from commands import insync, insync_json
from event_lines import lines_of
from every_scenario import RecordedScenarios, long_rows
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.local import LocalCluster
from insync.events import agent_log
from integration.runs import why_catalogue
from integration.runs.recording import folder_of, run
from why_confusion import as_markdown, judged

StartCluster = Callable[..., LocalCluster]
TOPIC: Final = "events-of-agents"
_RIGHT: Final = 0.8
"""The goal is 0.95; docs/test/why.md has what was measured, and what is answered wrongly."""


@pytest.mark.scenario("read-stall")
def test_a_recorded_stall_names_the_leader_in_every_arm(scenarios: RecordedScenarios) -> None:
    found = _answers(scenarios, "read-stall")
    assert set(found) == {"stock", "off", "request"}
    for arm, findings in found.items():
        slow = [each for each in findings if each["cause"] == "disk"]
        assert [each["broker"] for each in slow] == [1], (arm, findings)
        assert not any(each["rightly"] for each in slow[0]["blamed"]), (arm, findings)
    blames = [one for each in found["stock"] for one in each["blamed"]]
    assert {each["follower"] for each in blames} & {2, 3}, blames
    assert not any(each["kept"] for each in blames), blames
    (held,) = (each for each in found["request"] if each["cause"] == "disk")
    assert held["site"] == "read", held
    assert all(each in (["read-stall-r0", 0], ["read-stall-r0", 1]) for each in held["partitions"])
    # A follower that has all that there is when the stall begins needs no hold.
    lines = lines_of(scenarios.run("read-stall"), "request", "broker-1.jsonl")
    holds = {line["replica"] for line in lines if line["type"] == "hold"}
    assert holds
    assert {each["follower"] for each in held["blamed"]} == holds, held
    assert all(each["kept"] for each in held["blamed"]), held


@pytest.mark.long
def test_no_stall_names_nobody(every_arm: RecordedScenarios) -> None:
    cells = every_arm.cells("control")
    for arm, findings in _answers(every_arm, "control").items():
        # On a busy machine an ISR may shrink although no fault was injected; that is a finding.
        assert findings == [] or any(cells[arm]["isr_shrinks"]), (arm, findings)


@pytest.mark.long
@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "client-link", "mode": "cut"},
        {"kind": "stall", "site": "write", "mode": "hold", "partitions": [0, 3]},
    ],
    ids=["the link to clients is cut", "writes hang"],
)
def test_a_cut_link_and_stalled_writes_of_a_stock_broker_are_not_told_apart(
    fault: dict[str, Any], tmp_path: Path
) -> None:
    """All partitions of the leader stall, and no agent times its appends."""
    place = {"broker": 1, "at_ms": why_catalogue.AT_MS, "for_ms": why_catalogue.FOR_MS}
    keys = why_catalogue.scenario("why-undecided", {**fault, **place}, repeats=1)
    options = ("--arms", "stock", "--record-only")
    recorded = run(keys, tmp_path, *options, within_s=why_catalogue.WITHIN_S)
    assert recorded.returncode == 0, recorded.stderr
    (answer,) = insync_json("why", folder_of(keys, tmp_path), codes=(3,))["answers"]
    (found,) = answer["findings"]
    assert (found["broker"], found["cause"]) == (1, "undecided"), answer
    assert found["may_be"] == ["disk", "network"], answer


def _answers(scenarios: RecordedScenarios, scenario: str) -> dict[str, list[dict[str, Any]]]:
    """Return the findings of each arm of a recorded scenario."""
    answers = insync_json("why", scenarios.run(scenario))["answers"]
    return {each["about"].split(", ")[1]: each["findings"] for each in answers}


def test_a_topic_of_a_real_broker_gives_the_answer_of_the_same_events_in_files(
    start: StartCluster, tmp_path: Path
) -> None:
    """The events of a recorded run, as if they were of now; two clusters share the topic."""
    recorded = unpack("kip-501", tmp_path)
    cluster = start(brokers=1)
    create_topic(cluster.bootstrap, TOPIC, [[1], [1]], {})
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
    for key, line in _as_of_now(recorded / "events" / "plugin"):
        producer.produce(TOPIC, key=f"east/{key}", value=json.dumps(line))
        if line["type"] == "settings":
            producer.produce(TOPIC, key=f"west/{key}", value=json.dumps(line))
    producer.produce(TOPIC, key="east/broker-1.jsonl", value="no JSON")
    assert producer.flush(30) == 0
    east, west = insync_json("why", "--bootstrap", cluster.bootstrap, "--topic", TOPIC)["answers"]
    (found,) = east["findings"]
    assert (east["about"], found["broker"], found["cause"]) == ("east", 1, "disk")
    assert {each["follower"] for each in found["blamed"]} == {2, 3}
    assert (west["about"], west["findings"]) == ("west", [])
    none = insync("why", "--bootstrap", cluster.bootstrap, "--topic", "other")
    assert (none.returncode, none.stderr.count("\n")) == (2, 1)
    assert "topic other: not found" in none.stderr


def _as_of_now(events: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the lines of each agent with their file; the last one is of this moment."""
    files = {file.name: list(agent_log.read(file)) for file in events.glob("broker-[1-3].jsonl")}
    last = max(line["t_ms"] for lines in files.values() for line in lines)
    later = time.time() * 1000 - last
    for name, lines in files.items():
        yield from ((name, {**line, "t_ms": line["t_ms"] + later}) for line in lines)


@pytest.mark.long
def test_the_answers_are_right_of_the_faults_of_scenarios(every_arm: RecordedScenarios) -> None:
    rows = long_rows()
    runs = {every_arm.run(row.scenario, row.kafka) for row in rows}
    cases = [case for run in sorted(runs) if run.is_dir() for case in judged(run)]
    wrong = [case for case in cases if not case.is_right]
    assert len(cases) >= len(rows), as_markdown(cases)
    assert len(wrong) <= (1 - _RIGHT) * len(cases), (as_markdown(cases), wrong)
