"""Makes up histories of whole repeats, clean ones and such with anomalies planted in them.

A clean history has all that may rightly happen: records that failed, that were written though
nobody was told, acks out of order among records that were on their way together, leaders that
change, transactions that commit and abort. Each planting changes one partition and says what
must be found there: kind and offset, and the sequence numbers that must be shown.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Line = dict[str, Any]
Found = tuple[str, int, int | None]
"""Kind, partition, offset."""

ARM = "stock"
PARTITIONS = 4
REPLICAS = (1, 2, 3)
RECORDS = 14
FOREIGN = 1_000_000
"""Sequence numbers from here on were never produced."""


@dataclass
class History:
    """One repeat's lines by kind, open to be changed; `expected` is what was planted."""

    repeat: int
    transactional: bool
    produce: list[Line] = field(default_factory=list)
    consume: list[Line] = field(default_factory=list)
    transactions: list[Line] = field(default_factory=list)
    isr: list[Line] = field(default_factory=list)
    roles: list[Line] = field(default_factory=list)
    batches: list[Line] = field(default_factory=list)
    replica_logs: list[Line] = field(default_factory=list)
    phases: list[Line] = field(default_factory=list)
    expected: dict[Found, set[int]] = field(default_factory=dict)

    @property
    def topic(self) -> str:
        """The repeat's topic."""
        return f"made-up-r{self.repeat}"

    def expect(self, kind: str, partition: int, offset: int | None, *seqs: int) -> None:
        """Note what must be found, with these sequence numbers among what shows it."""
        self.expected[kind, partition, offset] = set(seqs)

    def sent(self, partition: int) -> list[Line]:
        """Return the produce lines of a partition that stand in the log, in its order."""
        places = {line["seq"]: line["offset"] for line in self.read(partition)}
        lines = [line for line in self.produce if line["partition"] == partition]
        return sorted(
            (line for line in lines if line["seq"] in places), key=lambda line: places[line["seq"]]
        )

    def plain(self, partition: int) -> list[Line]:
        """Return those of them that were acked outside of transactions."""
        return [
            line
            for line in self.sent(partition)
            if line["transaction"] is None and line["offset"] is not None
        ]

    def read(self, partition: int) -> list[Line]:
        """Return the reads of a partition in order."""
        return [line for line in self.consume if line["partition"] == partition]

    def read_of(self, line: Line) -> Line:
        """Return the read of the record of a produce line."""
        return next(
            read
            for read in self.consume
            if (read["partition"], read["seq"]) == (line["partition"], line["seq"])
        )

    def lines(self) -> Iterator[tuple[str, Line]]:
        """Yield every line with its kind; reads are counted now."""
        for nth, line in enumerate(self.consume):
            line["nth"] = nth
        for kind in (
            "produce", "consume", "transactions", "isr", "roles", "batches", "replica_logs",
            "phases",
        ):  # fmt: skip
            for line in getattr(self, kind):
                yield kind, {"arm": ARM, "repeat": self.repeat, "topic": self.topic, **line}


def clean(repeat: int, seed: int) -> History:
    """Make a history in which nothing is wrong."""
    chance = random.Random(seed)  # noqa: S311
    history = History(repeat, transactional=chance.random() < 0.5)
    idempotent = chance.random() < 0.5
    for kind, at in (("repeat_started", 0.0), ("steady", 1.0), ("repeat_ended", 9_000.0)):
        history.phases.append({"type": kind, "t_ms": at, "note": ""})
    logs = {
        partition: _log(history, partition, idempotent, chance) for partition in range(PARTITIONS)
    }
    if history.transactional:
        _transactions(history, logs, chance)
    _consume(history, logs, chance)
    for partition, log in logs.items():
        _leaders(history, partition, len(log), chance)
        _replicas(history, partition, log, chance)
    return history


def _log(history: History, partition: int, idempotent: bool, chance: random.Random) -> list[Line]:
    """Produce plain records; return what the log holds, in order of the offsets."""
    log: list[Line] = []
    pending: list[Line] = []
    for seq in range(RECORDS):
        sent = 10.0 * seq
        fate = "acked" if 0 < seq < RECORDS - 1 else "kept"
        if fate == "acked" and chance.random() < 0.15:
            fate = chance.choice(["refused", "unheard", "told it failed"])
        line = {
            "partition": partition, "seq": seq, "sent_ms": sent, "done_ms": None,
            "latency_ms": None, "error": None, "offset": None, "producer": seq % 2,
            "idempotent": idempotent, "transaction": None, "fate": fate,
        }  # fmt: skip
        history.produce.append(line)
        if fate != "refused":
            pending.append(line)
        # Records on their way together may be written in any order, one producer's only if
        # it is not idempotent; one more than two records old has been written.
        if len(pending) == 2 or seq == RECORDS - 1:
            together, pending = pending, []
            producers = {each["producer"] for each in together}
            if chance.random() < 0.5 and (not idempotent or len(producers) == 2):
                together.reverse()
            for each in together:
                each["offset"] = len(log)
                log.append({"seq": each["seq"], "partition": partition, "kind": "record"})
            for each in together:
                # All are acked after all were sent: nothing is out of order in real time.
                each["done_ms"] = sent + 1.0 + chance.random()
    for line in history.produce:
        _answer(line)
    return log


def _answer(line: Line) -> None:
    fate = line.pop("fate", "acked")
    if fate in ("refused", "told it failed"):
        line.update(error="NOT_ENOUGH_REPLICAS", offset=None, done_ms=line["sent_ms"] + 1)
    elif fate == "unheard":
        line.update(done_ms=None, offset=None)


def _transactions(history: History, logs: dict[int, list[Line]], chance: random.Random) -> None:
    """Append transactions to the logs: their records, then a marker in each partition."""
    for number, end in enumerate(("committed", "aborted", "committed", "unknown")):
        sent = 1_000.0 + 100.0 * number
        seqs = []
        for partition, log in logs.items():
            seq = 10_000 + 100 * number + partition
            seqs.append(seq)
            history.produce.append({
                "partition": partition, "seq": seq, "sent_ms": sent, "done_ms": sent + 5,
                "latency_ms": 5.0, "error": None, "offset": len(log), "producer": 7,
                "idempotent": True, "transaction": number,
            })  # fmt: skip
            kind = "aborted" if end == "aborted" else "record"
            log.append({"seq": seq, "partition": partition, "kind": kind})
        history.transactions.append({
            "transaction": number, "producer": 0, "records": len(seqs), "begun_ms": sent,
            "asked_ms": sent + 6, "ended_ms": sent + 9, "took_ms": 3.0, "wanted": "commit",
            "end": end, "error": None,
        })  # fmt: skip
        for partition, log in logs.items():
            log.append({"seq": None, "partition": partition, "kind": "marker"})
    for partition, log in logs.items():
        seq = 20_000
        history.produce.append({
            "partition": partition, "seq": seq, "sent_ms": 2_000.0, "done_ms": 2_004.0,
            "latency_ms": 4.0, "error": None, "offset": len(log), "producer": 0,
            "idempotent": history.produce[0]["idempotent"], "transaction": None,
        })  # fmt: skip
        log.append({"seq": seq, "partition": partition, "kind": "record"})


def _consume(history: History, logs: dict[int, list[Line]], chance: random.Random) -> None:
    """Read all partitions, now from one and now from another."""
    left = {
        partition: [
            (offset, entry["seq"]) for offset, entry in enumerate(log) if entry["kind"] == "record"
        ]
        for partition, log in logs.items()
    }
    at = 3_000.0
    while any(left.values()):
        partition = chance.choice([p for p, rest in left.items() if rest])
        offset, seq = left[partition].pop(0)
        at += 1.0
        history.consume.append(
            {"partition": partition, "offset": offset, "seq": seq, "read_ms": at, "consumer": 0}
        )


def _leaders(history: History, partition: int, end: int, chance: random.Random) -> None:
    leader = chance.choice(REPLICAS)
    for epoch in range(chance.randint(1, 3)):
        at = 100.0 * epoch
        history.isr.append({
            "t_ms": at, "kind": "partition", "partition": partition, "leader": leader,
            "leader_epoch": epoch, "isr": list(REPLICAS), "elr": [], "replicas": list(REPLICAS),
            "broker": None, "fenced": None,
        })  # fmt: skip
        for broker in REPLICAS:
            offset = min(end, 4 * epoch)
            history.roles.append({
                "t_ms": at + 1, "broker": broker, "life": 1, "partition": partition,
                "role": "leader" if broker == leader else "follower", "leader_epoch": epoch,
                "from_offset": offset, "high_watermark": offset,
            })  # fmt: skip
        leader = chance.choice([broker for broker in REPLICAS if broker != leader])


def _replicas(history: History, partition: int, log: list[Line], chance: random.Random) -> None:
    batches = []
    at = 0
    while at < len(log):
        size = 1 if log[at]["kind"] != "record" else min(chance.randint(1, 3), len(log) - at)
        batches.append({
            "base_offset": at, "last_offset": at + size - 1, "leader_epoch": at // 10,
            "producer_id": -1, "producer_epoch": -1, "base_sequence": -1,
            "crc": chance.getrandbits(32), "bytes": 70 * size, "transactional": False,
            "control": "commit" if log[at]["kind"] == "marker" else None, "valid": True,
        })  # fmt: skip
        at += size
    for replica in REPLICAS:
        for batch in batches:
            history.batches.append({"partition": partition, "replica": replica, **batch})
        history.replica_logs.append({
            "partition": partition, "replica": replica, "start_offset": 0, "end_offset": at,
            "batches": len(batches), "problem": None,
        })  # fmt: skip


Planting = Callable[[History, int, random.Random], None]


def lose(history: History, partition: int, chance: random.Random) -> None:
    """Let an acked record never be read."""
    record = chance.choice(history.plain(partition)[1:-1])
    history.consume.remove(history.read_of(record))
    history.expect("lost", partition, record["offset"], record["seq"])
    history.expect("skipped", partition, record["offset"])


def duplicate(history: History, partition: int, chance: random.Random) -> None:
    """Let a record stand a second time at the end of the log."""
    record = chance.choice(history.plain(partition))
    end = max(line["last_offset"] for line in history.batches if line["partition"] == partition) + 1
    history.consume.append({
        "partition": partition, "offset": end, "seq": record["seq"], "read_ms": 8_000.0,
        "consumer": 0,
    })  # fmt: skip
    for replica in REPLICAS:
        last = next(
            line
            for line in reversed(history.batches)
            if (line["partition"], line["replica"]) == (partition, replica)
        )
        history.batches.append({**last, "base_offset": end, "last_offset": end, "crc": 7})
    history.expect("duplicated", partition, record["offset"], record["seq"])


def swap_in_time(history: History, partition: int, chance: random.Random) -> None:
    """Let a record stand before one that had been acked before it was due."""
    records = history.plain(partition)
    pairs = [
        (first, then)
        for first, then in pairwise(records)
        if first["done_ms"] < then["sent_ms"] and then["offset"] == first["offset"] + 1
    ]
    _swap(history, partition, *chance.choice(pairs))


def swap_in_sequence(history: History, partition: int, chance: random.Random) -> None:
    """Let two records of an idempotent producer, on their way together, change places."""
    records = [line for line in history.plain(partition) if line["producer"] == 0][:5]
    # Without idempotence two of them may have changed places already, as they rightly may.
    in_order = [pair for pair in pairwise(records) if pair[0]["seq"] < pair[1]["seq"]]
    first, then = chance.choice(in_order)
    first["idempotent"] = then["idempotent"] = True
    for line in history.produce:
        if line["partition"] == partition and line["done_ms"] is not None:
            line["done_ms"] = 2_500.0  # so that real time does not tell
    _swap(history, partition, first, then)


def _swap(history: History, partition: int, first: Line, then: Line) -> None:
    reads = history.read_of(first), history.read_of(then)
    first["offset"], then["offset"] = then["offset"], first["offset"]
    reads[0]["seq"], reads[1]["seq"] = then["seq"], first["seq"]
    history.expect("reordered", partition, then["offset"], then["seq"])


def poll_again(history: History, partition: int, chance: random.Random) -> None:
    """Let the consumer go back some records, and on from there."""
    reads = history.read(partition)
    last = chance.randrange(1, len(reads) - 1)
    first = chance.randint(max(0, last - 3), last)
    at = history.consume.index(reads[last]) + 1
    history.consume[at:at] = [dict(line) for line in reads[first : last + 1]]
    history.expect("poll_back", partition, reads[first]["offset"], reads[first]["seq"])


def read_two_values(history: History, partition: int, chance: random.Random) -> None:
    """Let another consumer read another record at an offset."""
    record = chance.choice(history.plain(partition))
    history.consume.append({
        "partition": partition, "offset": record["offset"], "seq": FOREIGN, "read_ms": 8_000.0,
        "consumer": 1,
    })  # fmt: skip
    history.expect("inconsistent", partition, record["offset"], record["seq"], FOREIGN)


def replace_record(history: History, partition: int, chance: random.Random) -> None:
    """Let something else be read where a record was acked: it is lost."""
    record = chance.choice(history.plain(partition)[1:-1])
    history.read_of(record)["seq"] = FOREIGN
    history.expect("inconsistent", partition, record["offset"], record["seq"], FOREIGN)
    history.expect("lost", partition, record["offset"], record["seq"])
    if history.transactional:
        history.expect("skipped", partition, record["offset"])


def split_epoch(history: History, partition: int, chance: random.Random) -> None:
    """Let another broker say that it leads, too."""
    led = chance.choice(
        [r for r in history.roles if r["partition"] == partition and r["role"] == "leader"]
    )
    other = chance.choice([broker for broker in REPLICAS if broker != led["broker"]])
    history.roles.append({**led, "broker": other, "t_ms": led["t_ms"] + 2, "life": 2})
    history.expect("split_epoch", partition, None)


def lower_watermark(history: History, partition: int, chance: random.Random) -> None:
    """Let a broker's high watermark go back from one role to the next."""
    last = [line for line in history.roles if line["partition"] == partition][-1]
    high = 30 + chance.randrange(5)
    epoch = last["leader_epoch"] + 1
    follower = {**last, "role": "follower", "leader_epoch": epoch}
    history.roles.append({**follower, "high_watermark": high})
    history.roles.append({**follower, "leader_epoch": epoch + 1, "high_watermark": high - 2})
    history.expect("watermark_back", partition, high - 2)


def diverge(history: History, partition: int, chance: random.Random) -> None:
    """Let one replica's log differ from a batch on, or miss all after it."""
    replica = chance.choice(REPLICAS)
    read_to = max(line["offset"] for line in history.read(partition))
    own = [
        line
        for line in history.batches
        if (line["partition"], line["replica"]) == (partition, replica)
        and line["base_offset"] <= read_to
    ]
    at = chance.randrange(len(own))
    how = chance.choice(["crc", "leader_epoch", "bytes", "valid", "missing"])
    for line in own[at:]:
        if how == "missing":
            history.batches.remove(line)
        else:
            line[how] = False if how == "valid" else line[how] + 1
    history.expect("diverged", partition, own[at]["base_offset"])


def read_aborted(history: History, partition: int, chance: random.Random) -> None:
    """Let a record of an aborted transaction be read, at its place."""
    record = next(
        line
        for line in history.produce
        if line["partition"] == partition and line["transaction"] == 1
    )
    behind = next(r for r in history.read(partition) if r["offset"] > record["offset"])
    read = {**behind, "offset": record["offset"], "seq": record["seq"]}
    history.consume.insert(history.consume.index(behind), read)
    history.expect("aborted_read", partition, record["offset"], record["seq"])


def tear(history: History, partition: int, chance: random.Random) -> None:
    """Let one record of a committed transaction not be read."""
    number = chance.choice([0, 2]) if partition else 0
    record = next(
        line
        for line in history.produce
        if line["partition"] == partition and line["transaction"] == number
    )
    history.consume.remove(history.read_of(record))
    for kind in ("lost", "skipped"):
        history.expect(kind, partition, record["offset"], record["seq"])
    history.expect("torn", partition, record["offset"], record["seq"])


PLANTINGS: tuple[Planting, ...] = (
    lose, duplicate, swap_in_time, swap_in_sequence, poll_again, read_two_values, replace_record,
    split_epoch, lower_watermark, diverge,
)  # fmt: skip
IN_TRANSACTIONS: tuple[Planting, ...] = (read_aborted, tear)


def planted(repeat: int, seed: int, plantings: tuple[int, ...]) -> History:
    """Make a history with an anomaly in each of its first partitions, named by their numbers."""
    history = clean(repeat, seed)
    known = (*PLANTINGS, *IN_TRANSACTIONS) if history.transactional else PLANTINGS
    torn = False
    for partition, number in enumerate(plantings):
        planting = known[number % len(known)]
        if planting is tear and torn:  # one transaction is torn once, however often
            continue
        torn = torn or planting is tear
        planting(history, partition, random.Random(seed + partition))  # noqa: S311
    return history
