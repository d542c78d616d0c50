"""The records of a topic: whose lines they are, and what the answer assumes."""

import json
from collections.abc import Iterator, Mapping

from insync.why.sources.live import Probe, answer_for, origins_of
from unit.why.made_up import SPAN, event, slow_fetch, started

PROBE = Probe(bootstrap="x:1", topic="events", minutes=1, lag_ms=None)


def records(*keyed: tuple[str, Mapping[str, object]]) -> Iterator[tuple[str, str]]:
    return ((key, json.dumps(line)) for key, line in keyed)


def test_lines_are_told_apart_by_cluster_and_broker() -> None:
    found = origins_of(
        records(
            *(("east/broker-1.jsonl", line) for line in started(1)),
            ("east/broker-2.jsonl", started(2)[0]),
            ("west/broker-1.jsonl", started(1)[0]),
            ("broker-7.jsonl", started(7)[0]),
        )
    )
    assert {name: sorted(own) for name, own in found.items()} == {
        "east": [1, 2], "west": [1], "": [7],
    }  # fmt: skip


def test_what_is_no_json_object_is_left_out() -> None:
    lines = [("east/broker-1.jsonl", "{"), ("east/broker-1.jsonl", "1"), ("other", "{}")]
    assert origins_of(iter(lines)) == {}


def test_a_live_leader_that_is_slow_is_named_and_the_lag_is_that_of_the_newest_settings() -> None:
    lines = [*started(1), slow_fetch(9_000, 2, 2_500), slow_fetch(9_000, 3, 2_500)]
    older = event("settings", -9_000, broker=2, **{"replica.lag.time.max.ms": 30_000})
    answer = answer_for("east", {1: lines, 2: [older]}, SPAN, PROBE)
    (found,) = answer.findings
    assert (found.broker, found.cause) == (1, "disk")
    assert not any("is assumed" in gap for gap in answer.gaps)


def test_a_lag_that_is_not_in_the_topic_is_assumed_and_said() -> None:
    lines = [slow_fetch(9_000, 2, 2_500), event("pending", 9_500, leader_paused_ms=0)]
    origins = origins_of(records(*(("east/broker-1.jsonl", line) for line in lines)))
    answer = answer_for("east", origins["east"], SPAN, PROBE)
    assert answer.findings == (), "2.5 s are little beside a lag of 30 s"
    assert any("30000 is assumed" in gap for gap in answer.gaps)
