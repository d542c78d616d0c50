"""Makes facts and event lines for the tests of `insync why`."""

from typing import Any, Final

import pytest

from insync.arms import FEATURE, PROCESS_TIME, SCOPE
from insync.why.answer import Diagnosis, SlowBroker
from insync.why.facts import (
    Appended,
    Awaited,
    Dropped,
    EndedProcess,
    Facts,
    Fenced,
    Leads,
    Partition,
    Paused,
    Served,
    Span,
    Unacked,
)
from insync.why.infer import answer_of

LAG: Final = 2_000.0
SPAN: Final = Span(since_ms=0, until_ms=60_000)
ZERO: Final = Partition("events", 0)
ONE: Final = Partition("events", 1)
TWO: Final = Partition("events", 2)
BROKERS: Final = (1, 2, 3)
STOCK: Final[dict[str, Any]] = {"heard": set(), "pauses_known": set()}
"""Brokers without agents."""
KINDS: Final = {
    Appended: "appended", Awaited: "awaited", Dropped: "dropped", EndedProcess: "ended",
    Fenced: "fenced", Paused: "paused", Served: "served", Unacked: "unacked",
}  # fmt: skip


def empty() -> Facts:
    return Facts(lag_ms=LAG, span=SPAN)


def facts(*seen: Any, **known: Any) -> Facts:
    """Return facts of three brokers, of which each leads one partition all the time.

    `seen` are added to the facts of their kinds, `known` are the fields of `Facts`.
    """
    leads = [led(*each) for each in zip(BROKERS, (ZERO, ONE, TWO), strict=True)]
    made: dict[str, Any] = {
        "lag_ms": LAG, "span": SPAN, "brokers": set(BROKERS), "leads": leads,
        "controller_known": True, "clients_known": True, "heard": set(BROKERS),
        "pauses_known": set(BROKERS),
        "written": dict.fromkeys((ZERO, ONE, TWO), SPAN),
        "reports": {broker: list(range(0, 60_000, 1_000)) for broker in BROKERS},
    }  # fmt: skip
    found = Facts(**{**made, **known})
    for each in seen:
        getattr(found, KINDS[type(each)]).append(each)
    return found


def answer(*seen: Any, **known: Any) -> Diagnosis:
    """Return what is answered about such facts."""
    return answer_of(facts(*seen, **known), "made up")


def only(*seen: Any, **known: Any) -> SlowBroker:
    """Return the only finding about such facts."""
    (one,) = answer(*seen, **known).findings
    return one


def told(answer: Diagnosis) -> str:
    """Return who was slow, why and where: `1-3 network: link; 2 disk or network: following`."""
    return "; ".join(
        f"{'-'.join(map(str, each.brokers))} {' or '.join(each.may_be) or each.cause}: {each.site}"
        for each in answer.findings
    )


def judged(finding: SlowBroker) -> list[str]:
    """Return how each removed follower is judged: `2 rightly`, `3 wrongly, kept`."""
    words = {True: "rightly", False: "wrongly", None: "not decided"}
    return [
        f"{each.follower} {words[each.rightly]}{', kept' if each.kept else ''}"
        for each in finding.blamed
    ]


def case(name: str, expected: str, *seen: Any, **known: Any) -> Any:
    """Return what is expected to be told about some facts, for a table of such cases."""
    return pytest.param(expected, seen, known, id=name)


def led(leader: int, of: Partition, since: float = -1_000, until: float = 61_000) -> Leads:
    return Leads(leader=leader, partition=of, replicas=BROKERS, since_ms=since, until_ms=until)


def paused(broker: int, since: float, until: float, ms: float) -> Paused:
    return Paused(broker=broker, since_ms=since, until_ms=until, paused_ms=ms)


def fenced(broker: int, since: float, until: float) -> Fenced:
    return Fenced(broker=broker, since_ms=since, until_ms=until)


def ended(broker: int, since: float, until: float) -> EndedProcess:
    return EndedProcess(broker=broker, since_ms=since, until_ms=until)


def awaited(broker: int, peer: int, since: float = 10_000, until: float = 13_000) -> Awaited:
    return Awaited(broker=broker, peer=peer, since_ms=since, until_ms=until)


def unacked(leader: int, since: float, until: float, of: Partition = ZERO) -> Unacked:
    return Unacked(leader=leader, partition=of, since_ms=since, until_ms=until)


def served(
    leader: int = 1, follower: int | None = 2, since: float = 10_000, until: float = 15_000,
    **more: Any,
) -> Served:  # fmt: skip
    return Served(leader=leader, follower=follower, since_ms=since, until_ms=until, **more)


def appended(
    leader: int, site: str, since: float, until: float, of: Partition | None = ONE
) -> Appended:
    return Appended(leader=leader, partition=of, site=site, since_ms=since, until_ms=until)


def dropped(leader: int, follower: int, of: Partition = ZERO, **more: Any) -> Dropped:
    made = {"at_ms": 12_500, **more}
    return Dropped(leader=leader, follower=follower, partition=of, **made)


def event(kind: str, t_ms: float, **fields: Any) -> dict[str, Any]:
    return {"v": 1, "t_ms": t_ms, "type": kind, **fields}


def started(broker: int, t_ms: float = -5_000, *, step_down: bool = False) -> list[dict[str, Any]]:
    """Return the lines of an agent at its broker's start: scope request is on."""
    settings = {"broker": broker, FEATURE: True, SCOPE: "request", "replica.lag.time.max.ms": 2000}
    lines = [event("agent_installed", t_ms), event("settings", t_ms + 1, **settings)]
    watch = event("step_down_settings", t_ms + 2, broker=broker, **{PROCESS_TIME: 500})
    return [*lines, watch] if step_down else lines


def pending(t_ms: float, paused_ms: int = 0) -> dict[str, Any]:
    return event("pending", t_ms, marks_total=int(t_ms), leader_paused_ms=paused_ms)


def slow_fetch(t_ms: float, follower: int, held_ms: float) -> dict[str, Any]:
    """Return the event of a fetch that was pending for long, in scope request."""
    return event("pending_long", t_ms, topic=None, partition=-1, replica=follower, held_ms=held_ms)


def shrink(t_ms: float, partition: Partition, leader: int, left: int, fetched_ms: float) -> Any:
    follower = {"replica": left, "last_fetch_ms": fetched_ms, "lag_ms": 2_100, "pending": []}
    return event(
        "isr_shrink", t_ms, topic=partition.topic, partition=partition.number,
        isr=list(BROKERS), proposed=[each for each in BROKERS if each != left],
        followers=[follower], leader_epoch=leader,
    )  # fmt: skip


def isr_line(t_ms: float, partition: Partition, leader: int, *isr: int) -> dict[str, Any]:
    return {
        "v": 1, "arm": "stock", "t_ms": t_ms, "kind": "partition", "topic": partition.topic,
        "partition": partition.number, "leader": leader, "leader_epoch": 0, "isr": list(isr),
        "replicas": list(BROKERS), "adding": [], "broker": None, "fenced": None,
    }  # fmt: skip


def fenced_line(t_ms: float, broker: int, *, fenced: bool) -> dict[str, Any]:
    return {
        "v": 1, "arm": "stock", "t_ms": t_ms, "kind": "broker", "topic": None, "partition": None,
        "isr": None, "broker": broker, "fenced": fenced,
    }  # fmt: skip
