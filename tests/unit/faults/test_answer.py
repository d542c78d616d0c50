"""Single answers: which are meant, what shows that some were acted on, and keys that do not fit."""

import time
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from confluent_kafka import KafkaError

from fault_runs import planned
from insync.brokers.cluster.links.answers import AnswerRule
from insync.brokers.kafka import messages
from insync.brokers.kafka.versions import pinned
from insync.errors import InputError
from insync.faults.base import Fault
from insync.faults.kinds.network.answer import ERRORS, UNDONE, Answer
from insync.nodes import ACTIVE_CONTROLLER
from insync.run.requirements import needs, require_version
from insync.scenario.load import parse
from unit.faults.evidence import acted, alone, lacks

DROP: dict[str, Any] = {"api": "Fetch", "mode": "drop"}


def links_of(acted: int = 0) -> Mock:
    """Return proxies through which so many answers of a rule go."""

    def begin(_: int, rule: AnswerRule, **__: bool) -> None:
        rule.came, rule.acted, rule.version = 5, acted, 12
        rule.first_at, rule.longest_ms = time.monotonic() + 1, 52.0

    return Mock(**{"begin_answers.side_effect": begin})


def fault(links: Mock, **keys: Any) -> Fault[Any]:
    kafka = SimpleNamespace(jars=(), version="2.3.1")
    cluster = SimpleNamespace(proxies=links, kafka=kafka, active_controller=lambda: 102)
    return planned(cluster, "answer", **keys)


def test_the_evidence_has_the_calls_and_the_version_and_time_of_the_first() -> None:
    line = acted(fault(links_of(2), **DROP, calls=9))
    assert (line.target, line.mode) == (["Fetch to clients"], "drop")
    assert {**line.figures, "first_ms": 0} == {
        "calls": 5, "answers": 2, "version": 12, "first_ms": 0,
    }  # fmt: skip
    assert line.figures["first_ms"] >= 1_000
    assert line.acted_ms
    assert lacks("answer", line.figures, **DROP) is None


def test_without_a_call_nothing_shows_that_it_acted() -> None:
    line = acted(fault(links_of(), **DROP))
    assert (line.acted_ms, line.figures) == (0, {"calls": 5, "answers": 0})
    assert lacks("answer", line.figures, **DROP) == "answers was 0, expected at least 1"


def test_a_delay_acted_for_as_long_as_it_delayed_an_answer() -> None:
    line = acted(fault(links_of(1), api="Fetch", mode="delay", delay_ms=50))
    assert line.acted_ms == line.figures["longest_ms"] == 52.0


@pytest.mark.parametrize(
    ("keys", "node", "to_clients", "meant"),
    [
        ({}, 1, True, [0, 1, 2, 3, 100, 101]),
        ({"to": "brokers"}, 1, False, [0, 1, 2, 3]),
        ({"to": "broker 3"}, 1, False, [3]),
        ({"to": "broker 2", "broker": 100}, 100, False, [2]),
        ({"to": "controllers", "broker": ACTIVE_CONTROLLER}, 102, False, [100, 101]),
    ],
)
def test_who_is_answered(
    keys: dict[str, Any], node: int, to_clients: bool, meant: list[int]
) -> None:
    links = links_of()
    one = fault(links, **DROP, **keys)
    one.begin()
    one.lift()
    one.lift()
    ((at, rule), how) = links.begin_answers.call_args
    assert (at, how) == (node, {"to_clients": to_clients})
    assert [each for each in (0, 1, 2, 3, 100, 101) if rule.asked_by(each)] == meant
    links.end_answers.assert_called_once_with(rule)


def test_only_an_error_needs_kafkas_description(monkeypatch: pytest.MonkeyPatch) -> None:
    fault(links_of(), **DROP).prepare()
    keys: dict[str, Any] = {"api": "Fetch", "mode": "error", "error": "NOT_LEADER_OR_FOLLOWER"}
    with pytest.raises(InputError, match=r"answer 'error' to Fetch on Kafka 2\.3\.1, expected a"):
        fault(links_of(), **keys).prepare()
    found = {"fields": [], "apiKey": 1, "flexibleVersions": "none"}
    of_fetch = {"Response": found, "Request": found}
    monkeypatch.setattr(
        messages, "described", lambda _, api, of="Response": of_fetch[of] if api == 1 else None
    )
    links = links_of()
    acted(fault(links, **keys, from_call=2, calls=3))
    _, rule = links.begin_answers.call_args.args
    assert (rule.api, rule.code, rule.from_call, rule.calls) == (1, 6, 2, 3)
    assert rule.places(12, bytes(8)) == []
    asked = bytes(12) + b"\xff\xff"
    assert rule.makes(12, asked) == b"\0\0\0\4" + bytes(4), "an empty body"


def test_the_codes_of_errors_are_kafkas() -> None:
    """librdkafka has the same codes, some by older names."""
    theirs = {name: code for name, code in vars(KafkaError).items() if isinstance(code, int)}
    same = {name for name in ERRORS if name in theirs}
    assert {name: ERRORS[name] for name in same} == {name: theirs[name] for name in same}
    assert len(same) > len(ERRORS) / 2


@pytest.mark.parametrize("api", UNDONE)
def test_an_error_may_come_instead_of_what_an_api_does(api: str) -> None:
    keys = {"api": api, "mode": "error", "error": "REQUEST_TIMED_OUT", "processed": False}
    assert not Answer.model_validate(
        {"kind": "answer", "broker": 1, "to": "brokers", "at_ms": 0, "for_ms": 1, **keys}
    ).processed


def test_a_run_has_the_proxies_that_it_needs_and_only_these() -> None:
    cases: list[tuple[dict[str, Any], tuple[bool, bool, bool]]] = [
        ({}, (False, True, False)),
        ({"to": "broker 2"}, (True, False, False)),
        ({"to": "brokers", "broker": 100}, (False, False, True)),
    ]
    for keys, there in cases:
        made = parse(alone("answer", **{**DROP, **keys}), "mine.toml")
        need = needs(made)
        assert need.answers
        assert (need.links, need.client_links, need.controller_links) == there
    with pytest.raises(InputError, match="a link or answers of a controller on Kafka 2"):
        require_version(made, pinned("2.8.2"))


def test_the_coordinator_of_groups_can_be_the_target() -> None:
    text = alone("answer", **DROP, topic="__consumer_offsets", target="leader of 0")
    text = text.replace("broker = 1\n", "").replace("[timeline]", "[[workload.groups]]\n[timeline]")
    (fault,) = parse(text, "mine.toml").faults
    assert (fault.broker, fault.other_topic) == (1, "__consumer_offsets")
