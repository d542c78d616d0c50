"""Reads the facts of a running cluster from the topic to which its agents publish their events.

The topic is read once, from some minutes ago to its end, without a group and without committing
anything. Records of a run's harness in the same topic are read as well, but for its faults.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition

from insync.errors import InputError, InsyncError
from insync.events.schema import ISR, now_ms
from insync.why.agent_lines import add_agent_lines
from insync.why.answer import Answer
from insync.why.controller_lines import add_controller_lines, merge_drops
from insync.why.facts import Facts, Span
from insync.why.infer import answer_of
from insync.why.rules import DEFAULT, Rules

Line = dict[str, Any]

_ANSWER_WITHIN_S: Final = 10.0
_STALLED_AFTER_S: Final = 20.0
_LAG: Final = "replica.lag.time.max.ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What to read: the last `minutes` of a topic.

    `lag_ms` is the brokers' replica.lag.time.max.ms, None to take it from their agents' settings,
    or `default_lag_ms` if those are older than what is read.
    """

    bootstrap: str
    topic: str
    minutes: float
    lag_ms: float | None
    default_lag_ms: float


@dataclass(slots=True)
class Origin:
    """The lines of a cluster, or of an arm of a run: of each agent, and of the controller."""

    agents: dict[int, list[Line]] = field(default_factory=dict)
    isr: list[Line] = field(default_factory=list)


def answers(asked: Asked, rules: Rules = DEFAULT) -> list[Answer]:
    """Return an answer for each origin in the topic: a cluster, or an arm of a run.

    Raises InputError if the brokers do not answer, or the topic is missing or has no events of
    that time.
    """
    if asked.minutes <= 0:
        raise InputError(f"--minutes {asked.minutes:g}: expected more than 0")
    if asked.lag_ms is not None and asked.lag_ms <= 0:
        raise InputError(f"--lag-ms {asked.lag_ms:g}: expected more than 0")
    until = now_ms()
    span = Span(since_ms=until - asked.minutes * 60_000, until_ms=until)
    origins = origins_of(_records(asked, span))
    if not origins:
        raise InputError(
            f"topic {asked.topic}: no event of an agent in the last {asked.minutes:g} min,"
            " expected brokers with insync.events.topic"
        )
    return [answer_for(name, own, span, asked, rules) for name, own in sorted(origins.items())]


def origins_of(records: Iterator[tuple[str, str]]) -> dict[str, Origin]:
    """Return the lines by origin, of keys ORIGIN/FILE and values; a line of no use is left out."""
    found: dict[str, Origin] = {}
    for key, value in records:
        origin, _, file = key.rpartition("/")
        number = file.removeprefix("broker-").removesuffix(".jsonl")
        is_agents = number.isdecimal() and file == f"broker-{number}.jsonl"
        if not is_agents and file != ISR:
            continue
        try:
            line = json.loads(value)
        except ValueError:
            continue
        if not isinstance(line, dict):
            continue
        own = found.setdefault(origin, Origin())
        (own.agents.setdefault(int(number), []) if is_agents else own.isr).append(line)
    return found


def answer_for(name: str, origin: Origin, span: Span, asked: Asked, rules: Rules) -> Answer:
    """Return the answer for one origin."""
    lag = asked.lag_ms or _lag_of(origin) or asked.default_lag_ms
    facts = Facts(lag_ms=lag, span=span)
    add_controller_lines(facts, origin.isr)
    for broker, lines in sorted(origin.agents.items()):
        add_agent_lines(facts, broker, lines)
    merge_drops(facts)
    answer = answer_of(facts, name or asked.topic, rules)
    if asked.lag_ms is None and _lag_of(origin) is None:
        gap = f"{_LAG} of the brokers is not in the topic; {asked.default_lag_ms:g} is assumed"
        return replace(answer, gaps=(*answer.gaps, gap))
    return answer


def _lag_of(origin: Origin) -> float | None:
    """Return the lag that the newest settings in the topic have."""
    lags = [line[_LAG] for lines in origin.agents.values() for line in lines if _LAG in line]
    usable = [float(each) for each in lags if isinstance(each, int | float) and each > 0]
    return usable[-1] if usable else None


def _records(asked: Asked, span: Span) -> Iterator[tuple[str, str]]:
    """Yield key and value of every record of the span, partition by partition in order."""
    consumer = Consumer(
        {
            "bootstrap.servers": asked.bootstrap, "group.id": "insync-why",
            "enable.auto.commit": False, "log_level": 0, "enable.partition.eof": False,
        }
    )  # fmt: skip
    try:
        ends = _assign(consumer, asked, span)
        yield from _until(consumer, ends)
    except KafkaException as error:
        raise InsyncError(f"topic {asked.topic}: {error.args[0].str()}") from None
    finally:
        consumer.close()


def _assign(consumer: Consumer, asked: Asked, span: Span) -> dict[int, int]:
    """Begin where the span begins; return the end of each partition that has records of it."""
    from insync.brokers.cluster.admin import require_topic

    require_topic(asked.bootstrap, asked.topic)
    found = consumer.list_topics(asked.topic, timeout=_ANSWER_WITHIN_S).topics[asked.topic]
    wanted = [TopicPartition(asked.topic, each, int(span.since_ms)) for each in found.partitions]
    begins = consumer.offsets_for_times(wanted, timeout=_ANSWER_WITHIN_S)
    ends = {}
    assigned = []
    for begin in begins:
        _, end = consumer.get_watermark_offsets(begin, timeout=_ANSWER_WITHIN_S)
        if 0 <= begin.offset < end:
            ends[begin.partition] = end
            assigned.append(begin)
    consumer.assign(assigned)
    return ends


def _until(consumer: Consumer, ends: dict[int, int]) -> Iterator[tuple[str, str]]:
    left = dict(ends)
    heard = time.monotonic()
    while left:
        message = consumer.poll(0.2)
        if message is None:
            if time.monotonic() - heard > _STALLED_AFTER_S:
                raise InsyncError(
                    f"partitions {sorted(left)} of the topic: no record for {_STALLED_AFTER_S:g} s"
                    " before their ends"
                )
            continue
        heard = time.monotonic()
        yield from _taken(message, left)


def _taken(message: Message, left: dict[int, int]) -> Iterator[tuple[str, str]]:
    error = message.error()
    if error is not None:
        raise KafkaException(error)
    partition, offset = message.partition(), message.offset()
    if partition is None or offset is None:
        return
    key, value = message.key(), message.value()
    if key is not None and value is not None and offset < left.get(partition, 0):
        yield _text(key), _text(value)
    if offset + 1 >= left.get(partition, 0):
        left.pop(partition, None)


def _text(raw: str | bytes) -> str:
    return raw if isinstance(raw, str) else raw.decode("utf-8", errors="replace")
