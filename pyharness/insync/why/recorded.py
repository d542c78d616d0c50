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
from insync.events.schema import (
    ISR,
    PHASES,
    ROLES,
    RUN,
    events_dir,
    produce_file,
)
from insync.why.agent_lines import add_agent_lines
from insync.why.answer import Answer
from insync.why.controller_lines import add_controller_lines, add_lives, merge_drops
from insync.why.facts import Facts, Partition, Span, Unacked
from insync.why.infer import answer_of
from insync.why.rules import DEFAULT, Rules

Line = Mapping[str, Any]


def add_produced(facts: Facts, lines: Iterable[Line], least_ms: float) -> None:
    """Add when partitions were written, and the times of at least `least_ms` without any ack.

    Call it when the facts know who leads: a partition's stall is one of its leader.
    """
    due: dict[Partition, list[float]] = {}
    acked: dict[Partition, list[float]] = {}
    for line in lines:
        partition = Partition(line["topic"], line["partition"])
        due.setdefault(partition, []).append(float(line["sent_ms"]))
        if line.get("error") is None and line.get("done_ms") is not None:
            acked.setdefault(partition, []).append(float(line["done_ms"]))
    facts.clients_known = facts.clients_known or bool(due)
    for partition, times in due.items():
        sent = sorted(times)
        facts.written[partition] = Span(since_ms=sent[0], until_ms=sent[-1])
        facts.unacked += _gaps(facts, partition, sent, sorted(acked.get(partition, [])), least_ms)


def _gaps(
    facts: Facts, partition: Partition, sent: list[float], acked: list[float], least_ms: float
) -> Iterator[Unacked]:
    """Yield the gaps between acks. A gap begins with the first record that was due in it."""
    last = min(facts.span.until_ms, sent[-1])
    for before, after in pairwise([facts.span.since_ms, *acked, max(last, facts.span.since_ms)]):
        if after - before < least_ms:
            continue
        waited = next((each for each in sent if each >= before), None)
        if waited is None or after - waited < least_ms:
            continue
        leader = _leader(facts, partition, waited)
        if leader is not None:
            yield Unacked(leader=leader, partition=partition, since_ms=waited, until_ms=after)


def _leader(facts: Facts, partition: Partition, at_ms: float) -> int | None:
    own = (each for each in facts.leads if each.partition == partition)
    return next((each.leader for each in own if each.since_ms <= at_ms <= each.until_ms), None)


class _Broker(Recorded):
    replica_lag_time_max_ms: float = Field(gt=0)


class _Scenario(Recorded):
    broker: _Broker


class RecordedRun(Recorded):
    """What is read of `run.json`: never the scenario's faults."""

    scenario_name: str
    scenario: _Scenario
    arms: tuple[str, ...] = Field(min_length=1)

    def lag_ms(self, arm: str) -> float:
        """Return replica.lag.time.max.ms of an arm's brokers."""
        return self.scenario.broker.replica_lag_time_max_ms * arms.lag_factor(arm)


def answers(folder: Path, only: str | None = None, rules: Rules = DEFAULT) -> list[Answer]:
    """Return an answer for each repeat of each arm of a run folder, or of one arm.

    Raises InputError if the folder is no run folder, or has no such arm or no events.
    """
    run = read_recorded(RecordedRun, folder, RUN, "a run folder")
    if only is not None and only not in run.arms:
        raise InputError(f"--arm {only}: expected one of {', '.join(run.arms)}")
    chosen = run.arms if only is None else (only,)
    found = [each for arm in chosen for each in _of_arm(folder, run, arm, rules)]
    if not found:
        raise InputError(f"{folder}: expected the events of a repeat that began, found none")
    return found


def _of_arm(folder: Path, run: RecordedRun, arm: str, rules: Rules) -> Iterator[Answer]:
    events = events_dir(folder, arm)
    for repeat, span in _repeats(events):
        facts = facts_of(events, repeat, span, run.lag_ms(arm), rules)
        facts.by_time = arms.lag_policy(arm) == arms.BY_TIME
        yield answer_of(facts, f"{run.scenario_name}, {arm}, repeat {repeat}", rules)


def facts_of(events: Path, repeat: int, span: Span, lag_ms: float, rules: Rules) -> Facts:
    """Return what is known of one repeat of an arm."""
    facts = Facts(lag_ms=lag_ms, span=span)
    add_controller_lines(facts, list(_lines(events / ISR)))
    for file in sorted(events.glob("broker-*.jsonl")):
        number = file.stem.removeprefix("broker-")
        if number.isdecimal() and (not facts.controller_known or int(number) in facts.brokers):
            add_agent_lines(facts, int(number), list(agent_log.read(file)))
    add_lives(facts, _lines(events / ROLES))
    merge_drops(facts)
    add_produced(facts, _lines(events / produce_file(repeat)), rules.unacked_lags * lag_ms)
    return facts


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
    """Yield the lines of a file of the harness; nothing if it does not exist.

    A line that is cut off, as the last one of an interrupted run may be, is left out.
    """
    if not file.is_file():
        return
    with file.open(encoding="utf-8") as lines:
        yield from agent_log.objects(lines)
