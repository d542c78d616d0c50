"""Reads the facts of a running cluster from the topic to which its agents publish their events.

The topic is read once, from some minutes ago to its end, without a group and without committing
anything.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import Consumer, KafkaException, TopicPartition

from insync.errors import InputError, InsyncError
from insync.events import agent_log
from insync.events.schema import now_ms
from insync.why.answer import Diagnosis
from insync.why.facts import NO_CLIENTS, Facts, Span
from insync.why.infer import answer_of
from insync.why.rules import DEFAULT_LAG_MS
from insync.why.sources.agent_lines import add_agent_lines

Line = dict[str, Any]
Origin = dict[int, list[Line]]
"""The lines of each agent of a cluster, or of an arm of a run."""

_ANSWER_WITHIN_S: Final = 10.0
_STALLED_AFTER_S: Final = 20.0
_LAG: Final = "replica.lag.time.max.ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What to read: the last `minutes` of a topic.

    `lag_ms` is the brokers' replica.lag.time.max.ms, None to take it from their agents' settings,
    or Kafka's default if those are older than what is read.
    """

    bootstrap: str
    topic: str
    minutes: float
    lag_ms: float | None


def answers(probe: Probe) -> list[Diagnosis]:
    """Return an answer for each origin in the topic: a cluster, or an arm of a run.

    Raises InputError if the brokers do not answer, or the topic is missing or has no events of
    that time.
    """
    if probe.minutes <= 0:
        raise InputError(f"--minutes {probe.minutes:g}: expected more than 0")
    if probe.lag_ms is not None and probe.lag_ms <= 0:
        raise InputError(f"--lag-ms {probe.lag_ms:g}: expected more than 0")
    until = now_ms()
    span = Span(since_ms=until - probe.minutes * 60_000, until_ms=until)
    origins = origins_of(_records(probe, span))
    if not origins:
        raise InputError(
            f"topic {probe.topic}: no event of an agent in the last {probe.minutes:g} min,"
            " expected brokers with insync.events.topic"
        )
    return [answer_for(name, own, span, probe) for name, own in sorted(origins.items())]


def origins_of(records: Iterator[tuple[str, str]]) -> dict[str, Origin]:
    """Return the lines by origin, of keys ORIGIN/FILE and values; a line of no use is left out."""
    found: dict[str, Origin] = {}
    for key, value in records:
        origin, _, file = key.rpartition("/")
        number = file.removeprefix("broker-").removesuffix(".jsonl")
        if number.isdecimal() and file == f"broker-{number}.jsonl":
            for line in agent_log.objects([value]):
                found.setdefault(origin, {}).setdefault(int(number), []).append(line)
    return found


def answer_for(name: str, origin: Origin, span: Span, probe: Probe) -> Diagnosis:
    """Return the answer for one origin."""
    known = _lag_of(origin)
    lag_ms = probe.lag_ms or known or DEFAULT_LAG_MS
    facts = Facts(lag_ms=lag_ms, span=span, gaps=[NO_CLIENTS])
    if probe.lag_ms is None and known is None:
        facts.gaps.append(
            f"{_LAG} of the brokers is not in the topic; {DEFAULT_LAG_MS:g} is assumed"
        )
    for broker, lines in sorted(origin.items()):
        add_agent_lines(facts, broker, lines)
    return answer_of(facts, name or probe.topic)


def _lag_of(origin: Origin) -> float | None:
    """Return the lag that the newest settings in the topic have."""
    lines = (line for of_broker in origin.values() for line in of_broker)
    usable = [
        (line.get("t_ms", 0.0), float(line[_LAG]))
        for line in lines
        if isinstance(line.get(_LAG), int | float) and line[_LAG] > 0
    ]
    return max(usable)[1] if usable else None


def _records(probe: Probe, span: Span) -> Iterator[tuple[str, str]]:
    """Yield key and value of every record of the span, partition by partition in order."""
    consumer = Consumer(
        {
            "bootstrap.servers": probe.bootstrap, "group.id": "insync-why",
            "enable.auto.commit": False, "log_level": 0, "enable.partition.eof": False,
        }
    )  # fmt: skip
    try:
        yield from _until(consumer, _assign(consumer, probe, span))
    except KafkaException as error:
        raise InsyncError(f"topic {probe.topic}: {error.args[0].str()}") from None
    finally:
        consumer.close()


def _assign(consumer: Consumer, probe: Probe, span: Span) -> dict[int, int]:
    """Begin where the span begins; return the end of each partition that has records of it."""
    from insync.brokers.cluster.admin import require_topic

    require_topic(probe.bootstrap, probe.topic)
    found = consumer.list_topics(probe.topic, timeout=_ANSWER_WITHIN_S).topics[probe.topic]
    wanted = [TopicPartition(probe.topic, each, int(span.since_ms)) for each in found.partitions]
    ends = {}
    assigned = []
    for begin in consumer.offsets_for_times(wanted, timeout=_ANSWER_WITHIN_S):
        _, end = consumer.get_watermark_offsets(begin, timeout=_ANSWER_WITHIN_S)
        if 0 <= begin.offset < end:
            ends[begin.partition] = end
            assigned.append(begin)
    consumer.assign(assigned)
    return ends


def _until(consumer: Consumer, ends: dict[int, int]) -> Iterator[tuple[str, str]]:
    """Yield key and value of the records before the ends; what is left is in `ends`."""
    heard = time.monotonic()
    while ends:
        message = consumer.poll(0.2)
        if message is None:
            if time.monotonic() - heard > _STALLED_AFTER_S:
                raise InsyncError(
                    f"partitions {sorted(ends)} of the topic: no record for {_STALLED_AFTER_S:g} s"
                    " before their ends"
                )
            continue
        heard = time.monotonic()
        error, partition, offset = message.error(), message.partition(), message.offset()
        if error is not None:
            raise KafkaException(error)
        if partition is None or offset is None:
            continue
        key, value = message.key(), message.value()
        if key is not None and value is not None and offset < ends.get(partition, 0):
            yield _text(key), _text(value)
        if offset + 1 >= ends.get(partition, 0):
            ends.pop(partition, None)


def _text(raw: str | bytes) -> str:
    return raw if isinstance(raw, str) else raw.decode("utf-8", errors="replace")
