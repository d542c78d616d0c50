"""What an agent's events say, and what they do not."""

from typing import Any

import pytest

from insync.why.facts import Facts, Partition
from insync.why.sources.agent_lines import add_agent_lines
from unit.why.made_up import (
    SPAN,
    appended,
    awaited,
    dropped,
    empty,
    ended,
    event,
    paused,
    pending,
    served,
    shrink,
    slow_fetch,
    started,
)

READS = Partition("reads", 0)
OF_READS = {"topic": "reads", "partition": 0}
HOLD = event("hold", 5_000, **OF_READS, replica=2, site="read", pending_ms=2_100)
HOLD_ENDED = event("hold_ended", 9_000, **OF_READS, replica=2, site="read", held_ms=4_000)
HELD: dict[str, Any] = {"partition": READS, "site": "read", "held": True}
STEP_DOWN = {**OF_READS, "pending_ms": 700, "score": 1.0}
FENCING = event("fencing", 5_000, state="asked", why="what it leads is too slow")
UNTIL_8 = event("fencing", 8_000, state="ended", asked_ms=3_000)
WITHHELD = event("fencing", 5_000, state="withheld", why="", against="too few replicas")
OFF = event("settings_updated", -1_000, **{"follower.fetch.pending.reads.insync.enable": False})
SLOW = event("leader_slow", 5_000, slow=True, score=1.0, pending_ms=500)
CASES: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "a pause is what the counter grew by": (
        [pending(1_000), pending(2_000), pending(6_000, 3_800)],
        {"paused": [paused(1, 2_000, 6_000, 3_800)], "undated": []}),
    "a pause between reports far apart was at some time between them": (
        [pending(1_000), pending(20_000, 3_000)],
        {"paused": [], "undated": [paused(1, 1_000, 20_000, 3_000)]}),
    # No fetch arrives at a broker that leads nothing, and then its agent reports nothing.
    "a time without reports is not a pause": (
        [pending(1_000), pending(30_000)], {"paused": [], "undated": []}),
    "a counter that begins again after a restart is not a pause": (
        [pending(1_000, 500), *started(1, 5_000), pending(7_000, 100)],
        {"paused": [], "ended": [ended(1, 1_000, 5_000)]}),
    "a process that was started again in the span had ended": (
        [pending(45_000), *started(1, 50_000)], {"ended": [ended(1, 45_000, 50_000)]}),
    # A matrix runs its scenarios on one cluster: a later one may have killed the broker.
    "one that was started again after the span had not": (
        [pending(45_000), *started(1, 90_000)], {"ended": []}),
    "a slow fetch began before its event": (
        [slow_fetch(9_000, 2, 4_000)], {"served": [served(1, 2, 5_000, 9_000)]}),
    "a hold has a site and lasts until its end": (
        [HOLD, HOLD_ENDED], {"served": [served(1, 2, 2_900, 9_000, **HELD)]}),
    "a hold without an end lasts until that of the span": (
        [HOLD], {"served": [served(1, 2, 2_900, SPAN.until_ms, **HELD)]}),
    "a hold without a pending fetch says nothing of the leader": (
        [{**HOLD, "site": "none", "pending_ms": 0}], {"served": []}),
    "a step-down for an append has its site": (
        [event("step_down", 5_000, reason="slow_append", site="log", **STEP_DOWN)],
        {"appended": [appended(1, "append: log", 4_300, 5_000, READS)], "served": []}),
    "a step-down for a fetch has none": (
        [event("step_down_withheld", 5_000, reason="cooling_down", **STEP_DOWN)],
        {"served": [served(1, None, 4_300, 5_000, partition=READS, decided=True)]}),
    "a broker that asks for its fencing is too slow until it no longer asks": (
        [FENCING, UNTIL_8], {"appended": [appended(1, "asks to be fenced", 5_000, 8_000, None)]}),
    "a broker that asks to the end": (
        [FENCING], {"appended": [appended(1, "asks to be fenced", 5_000, SPAN.until_ms, None)]}),
    "a broker that does not ask": ([WITHHELD], {"appended": []}),
    "a leader that finds itself slow says from when to when": (
        [SLOW, event("leader_slow", 8_000, slow=False)],
        {"served": [served(1, None, 4_500, 8_000, decided=True)]}),
    "a peer that looks slow is waited for": (
        [event("peer_slow", 5_000, peer=3, slow=True, score=1.0),
         event("peer_slow", 8_000, peer=3, slow=False, score=0.0)],
        {"awaited": [awaited(1, 3, 5_000, 8_000)], "peers_known": {1}}),
    "a shrink says when the follower had fetched": (
        [shrink(9_000, READS, 1, 3, 6_500)],
        {"dropped": [dropped(1, 3, READS, at_ms=9_000, left=2, unseen_ms=2_500)]}),
    "a follower had never fetched": (
        [shrink(9_000, READS, 1, 3, 0)],
        {"dropped": [dropped(1, 3, READS, at_ms=9_000, left=2, unseen_ms=float("inf"))]}),
    "a clock that went back": ([pending(40_000), pending(20_000)], {"clock_moved": {1}}),
    "a clock that went back a little": (
        [pending(40_000), pending(39_500)], {"clock_moved": set()}),
    "a clock that went back before the span": (
        [pending(-4_000), pending(-9_000)], {"clock_moved": set()}),
    "what lies outside of the span is left out": (
        [slow_fetch(-1_000, 2, 2_000), slow_fetch(70_000, 2, 2_000)], {"served": []}),
    "an event with other fields is counted and left out": (
        [event("pending_long", 5_000, replica="x", held_ms=9), event("peer_slow", 7_000),
         slow_fetch(9_000, 2, 4_000)],
        {"unreadable": 2, "served": [served(1, 2, 5_000, 9_000)]}),
    "a feature that was switched off before the span measures no pauses": (
        [OFF], {"pauses_known": set()}),
    "one that is switched off later does": ([{**OFF, "t_ms": 30_000}], {"pauses_known": {1}}),
    "a line without a time and an unknown event are left out": (
        [{"type": "pending"}, event("something_new", 5_000)], {"served": [], "unreadable": 0}),
}  # fmt: skip


def read(*lines: dict[str, object]) -> Facts:
    facts = empty()
    add_agent_lines(facts, 1, lines)
    return facts


@pytest.mark.parametrize(("lines", "expected"), CASES.values(), ids=CASES)
def test_the_facts_of_events(lines: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    facts = read(*started(1, step_down=True), *lines)
    assert {name: getattr(facts, name) for name in expected} == expected


def test_an_agent_that_writes_nothing_leaves_its_broker_unknown() -> None:
    assert read().heard == set()
    assert read(*started(1)).heard == {1}


def test_pauses_are_known_only_in_scope_request() -> None:
    assert read(*started(1)).pauses_known == {1}
    off = [{**line, "insync.scope": "read"} for line in started(1)]
    assert read(*off).pauses_known == set()
