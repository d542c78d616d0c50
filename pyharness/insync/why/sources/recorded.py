"""Reads the facts of a recorded run from its event files; starts no JVM and needs no tables.

It reads `run.json` (the lag, the arms), `phases.jsonl`, `isr.jsonl`, `roles.jsonl`,
`broker-N.jsonl` and `produce-N.jsonl`. It does not read `faults.jsonl`, the scenario's faults, the
tables or the verdict, which say what was injected: they are the answer by which this is judged.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import Field

from insync import arms
from insync.errors import InputError
from insync.events import agent_log
from insync.events.run_info import Recorded, read_recorded
from insync.events.schema import ISR, PHASES, ROLES, RUN, events_dir, repeat_file
from insync.lists import grouped
from insync.why import rules
from insync.why.answer import Diagnosis
from insync.why.facts import NO_CLIENTS, Facts, Partition, Span, Unacked, groups, whole
from insync.why.infer import answer_of
from insync.why.sources.agent_lines import add_agent_lines
from insync.why.sources.controller_lines import add_controller_lines, add_lives, merge_drops

Line = Mapping[str, Any]


class _Broker(Recorded):
    replica_lag_time_max_ms: float = Field(gt=0)


class _Scenario(Recorded):
    broker: _Broker


class RecordedRun(Recorded):
    """What is read of `run.json`: never the scenario's faults."""

    scenario_name: str
    scenario: _Scenario
    arms: tuple[str, ...] = Field(min_length=1)


def answers(folder: Path, only: str | None = None) -> list[Diagnosis]:
    """Return an answer for each repeat of each arm of a run folder, or of one arm.

    Raises InputError if the folder is not a run folder, or has no such arm or no events.
    """
    run = read_recorded(RecordedRun, folder, RUN, "a run folder")
    if only is not None and only not in run.arms:
        raise InputError(f"--arm {only}: expected one of {', '.join(run.arms)}")
    found = []
    for arm in run.arms if only is None else (only,):
        events = events_dir(folder, arm)
        repeats = list(_repeats(events))
        about = f"{run.scenario_name}, {arm}"
        if not repeats:
            none = f"{events}: no repeat that began"
            nowhen = Span(since_ms=0, until_ms=0)
            found.append(Diagnosis(about=about, span=nowhen, unread=(none,), blind=True))
        lag_ms = run.scenario.broker.replica_lag_time_max_ms * arms.lag_factor(arm)
        for repeat, span in repeats:
            facts = facts_of(events, repeat, span, lag_ms)
            facts.by_time = arms.lag_policy(arm) == arms.BY_TIME
            found.append(answer_of(facts, f"{about}, repeat {repeat + 1}"))
    if all(each.span.ms == 0 for each in found):
        raise InputError(f"{folder}: expected the events of a repeat that began, found none")
    return found


def facts_of(events: Path, repeat: int, span: Span, lag_ms: float) -> Facts:
    """Return what is known of one repeat of an arm, whose number counts from 0."""
    facts = Facts(lag_ms=lag_ms, span=span)
    lines = _text(events / ISR)
    changes = list(agent_log.objects(lines))
    add_controller_lines(facts, changes)
    if not facts.controller_known:
        facts.unread.append(f"{events / ISR}: no line of the controller")
    elif len(changes) < len(lines):
        facts.unread.append(f"{events / ISR}: {len(lines) - len(changes)} lines that are cut off")
    for file in sorted(events.glob("broker-*.jsonl")):
        number = file.stem.removeprefix("broker-")
        if number.isdecimal() and (not facts.controller_known or int(number) in facts.brokers):
            add_agent_lines(facts, int(number), list(agent_log.read(file)))
    add_lives(facts, _lines(events / ROLES))
    merge_drops(facts)
    add_produced(facts, _lines(events / repeat_file("produce", repeat)))
    if not facts.clients_known:
        facts.gaps.append(NO_CLIENTS)
    return facts


def add_produced(facts: Facts, lines: Iterable[Line]) -> None:
    """Add when partitions were written, and when their acks stopped or were slow.

    Call it when the facts know who leads: a partition's stall is one of its leader.
    """
    due = grouped(lines, lambda line: Partition(line["topic"], line["partition"]))
    facts.clients_known = facts.clients_known or bool(due)
    for partition, own in due.items():
        sent = sorted(float(line["sent_ms"]) for line in own)
        facts.written[partition] = Span(since_ms=sent[0], until_ms=sent[-1])
        acked = (line for line in own if line.get("error") is None)
        times = sorted(float(line["done_ms"]) for line in acked if line.get("done_ms") is not None)
        for gap in _gaps(facts, sent, times, rules.UNACKED_LAGS * facts.lag_ms):
            facts.unacked += _waits(facts, partition, gap, None)
        slow = [each for each in _answers(facts, own) if each.ms >= rules.SLOW_ACK_MS]
        for together in groups(slow, 0):
            mean_ms = sum(each.ms for each in together) / len(together)
            facts.slow_acks += _waits(facts, partition, whole(together), mean_ms)


def _gaps(facts: Facts, sent: list[float], acked: list[float], least_ms: float) -> Iterator[Span]:
    """Yield the gaps between acks. A gap begins with the first record that was due in it."""
    last = min(facts.span.until_ms, sent[-1])
    for before, after in pairwise([facts.span.since_ms, *acked, max(last, facts.span.since_ms)]):
        if after - before >= least_ms:
            waited = next((each for each in sent if each >= before), None)
            if waited is not None and after - waited >= least_ms:
                yield Span(since_ms=waited, until_ms=after)


def _answers(facts: Facts, lines: Iterable[Line]) -> Iterator[Span]:
    """Yield from when until when each record waited for its ack, or for an error."""
    for line in lines:
        sent, done = float(line["sent_ms"]), line.get("done_ms")
        if facts.span.holds(sent):
            until = facts.span.until_ms if done is None else float(done)
            yield Span(since_ms=sent, until_ms=max(until, sent))


def _waits(
    facts: Facts, partition: Partition, span: Span, mean_ms: float | None
) -> Iterator[Unacked]:
    """Yield a time in which records waited, if it is known who led the partition then."""
    led = (each for each in facts.leads if each.partition == partition)
    for leader in [each.leader for each in led if each.holds(span.since_ms)][:1]:
        yield Unacked(
            leader=leader, partition=partition, mean_ms=mean_ms, since_ms=span.since_ms,
            until_ms=span.until_ms,
        )  # fmt: skip


def _repeats(events: Path) -> Iterator[tuple[int, Span]]:
    """Yield each repeat with its time: from when the load was steady to the repeat's end."""
    begun: dict[int, float] = {}
    last = 0.0
    for line in _lines(events / PHASES):
        at_ms, repeat = float(line["t_ms"]), int(line["repeat"])
        last = max(last, at_ms)
        if line["type"] == "steady":
            begun[repeat] = at_ms
        elif line["type"] == "repeat_ended" and repeat in begun:
            yield repeat, Span(since_ms=begun.pop(repeat), until_ms=at_ms)
    for repeat, since in begun.items():
        yield repeat, Span(since_ms=since, until_ms=max(since, last))


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file of the harness, except those that are cut off."""
    return agent_log.objects(_text(file))


def _text(file: Path) -> list[str]:
    """Return the lines of a file; none if it does not exist."""
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    return [line for line in text.splitlines() if line.strip()]
