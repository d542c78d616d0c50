"""Turns what the controller and the brokers logged about ISRs, leaders and lives into facts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from insync.lists import grouped
from insync.why.facts import Dropped, EndedProcess, Facts, Fenced, Leads, Partition

Line = Mapping[str, Any]

_SAME_CHANGE_MS: Final = 1_500
"""A fenced broker leaves the ISRs with the record that fences it, or soon after."""


def add_controller_lines(facts: Facts, lines: Sequence[Line]) -> None:
    """Add what the controller's log says: fencing, leaders, ISRs."""
    good = [line for line in lines if _is_good(line)]
    facts.unreadable += len(lines) - len(good)
    facts.controller_known = bool(good)
    facts.fenced += [each for each in _fenced(facts, good) if each.touches(facts.span)]
    of_partitions = (line for line in good if line["kind"] == "partition")
    partitions = grouped(of_partitions, lambda line: Partition(line["topic"], line["partition"]))
    for partition, own in partitions.items():
        facts.brokers.update(own[-1].get("replicas") or ())
        facts.leads += [each for each in _leads(facts, partition, own) if each.touches(facts.span)]
        for before, after in pairwise(own):
            facts.dropped += _drops(facts, partition, before, after)


def _is_good(line: Line) -> bool:
    if not isinstance(line.get("t_ms"), int | float):
        return False
    if line.get("kind") == "broker":
        return isinstance(line.get("broker"), int)
    named = isinstance(line.get("topic"), str) and isinstance(line.get("partition"), int)
    return named and isinstance(line.get("leader"), int) and isinstance(line.get("isr"), list)


def _fenced(facts: Facts, lines: Sequence[Line]) -> Iterator[Fenced]:
    since: dict[int, float] = {}
    for line in lines:
        if line["kind"] != "broker":
            continue
        broker, at_ms = int(line["broker"]), float(line["t_ms"])
        facts.brokers.add(broker)
        if line.get("fenced"):
            since.setdefault(broker, at_ms)
        elif broker in since:
            yield Fenced(broker=broker, since_ms=since.pop(broker), until_ms=at_ms)
    for broker, at_ms in since.items():
        yield Fenced(broker=broker, since_ms=at_ms, until_ms=max(at_ms, facts.span.until_ms))


def _leads(facts: Facts, partition: Partition, lines: Sequence[Line]) -> Iterator[Leads]:
    ends = [float(line["t_ms"]) for line in lines[1:]]
    for line, end in zip(lines, [*ends, facts.span.until_ms], strict=True):
        since = float(line["t_ms"])
        yield Leads(
            leader=int(line["leader"]), partition=partition, since_ms=since,
            until_ms=max(since, end), replicas=tuple(line.get("replicas") or ()),
            isr=tuple(line["isr"]),
        )  # fmt: skip


def _drops(facts: Facts, partition: Partition, before: Line, after: Line) -> Iterator[Dropped]:
    """Yield the followers that left the ISR, except those that left the replicas as well.

    The leader before is not a follower: that it left says that it stepped down or was fenced.
    """
    at_ms = float(after["t_ms"])
    if not facts.span.holds(at_ms):
        return
    for follower in set(before["isr"]) - set(after["isr"]):
        if follower != before["leader"] and follower in (after.get("replicas") or ()):
            fenced = after.get("by_controller", False) or any(
                each.broker == follower and 0 <= at_ms - each.since_ms <= _SAME_CHANGE_MS
                for each in facts.fenced
            )
            yield Dropped(
                at_ms=at_ms, leader=int(before["leader"]), follower=int(follower),
                partition=partition, left=len(after["isr"]), fenced=fenced,
                late_ms=after.get("late_ms", {}).get(follower, 0.0),
                new=follower in after.get("new_to", ()),
            )  # fmt: skip


def merge_drops(facts: Facts) -> None:
    """Keep one fact for a drop that leader and controller report; the leader knows more.

    Where the controller's log is known, a change that only the leader proposed did not happen.
    """
    if not facts.controller_known:
        return
    proposed = [each for each in facts.dropped if each.unseen_ms is not None]
    made = [each for each in facts.dropped if each.unseen_ms is None]
    facts.dropped = [_with_the_leaders_view(each, proposed) for each in made]


def _with_the_leaders_view(made: Dropped, proposed: Iterable[Dropped]) -> Dropped:
    same = [
        each
        for each in proposed
        if (each.leader, each.follower, each.partition)
        == (made.leader, made.follower, made.partition)
        and abs(each.at_ms - made.at_ms) <= _SAME_CHANGE_MS
    ]
    return replace(made, unseen_ms=same[-1].unseen_ms) if same else made


def add_lives(facts: Facts, lines: Iterable[Line]) -> None:
    """Add the brokers that were started again, as their logs show.

    Not those whose agents say so themselves, and more exactly. Call it after the agents' lines.
    """
    seen: dict[int, tuple[int, float]] = {}
    for line in lines:
        broker, life, at_ms = int(line["broker"]), int(line["life"]), float(line["t_ms"])
        facts.brokers.add(broker)
        before, last_ms = seen.get(broker, (life, at_ms))
        if life > before and broker not in facts.heard:
            told = bool(line.get("told"))
            ended = EndedProcess(broker=broker, since_ms=last_ms, until_ms=at_ms, told=told)
            if facts.span.holds(at_ms):
                facts.ended.append(ended)
        seen[broker] = (max(life, before), at_ms)
