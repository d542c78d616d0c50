"""Defines a made-up history of one repeat, and the plantings that add anomalies to it."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from insync.events import schema

FILES = {
    "produce": schema.repeat_file("produce", 0),
    "consume": schema.repeat_file("consume", 0),
    "transactions": schema.repeat_file("transactions", 0),
    "group": schema.repeat_file("group", 0),
    "transaction_reads": schema.repeat_file("transaction-reads", 0),
    "isr": schema.ISR,
    "roles": schema.ROLES,
    "batches": schema.repeat_file("batches", 0),
    "replica_logs": schema.REPLICA_LOGS,
    "phases": schema.PHASES,
    "read_back": schema.READ_BACK,
}
"""The event files of a repeat by the kinds of their lines."""
Line = dict[str, Any]
Found = tuple[str, int, int | None]
"""Anomaly, partition, offset."""

ARM = "stock"
PARTITIONS = 4
REPLICAS = (1, 2, 3)
RECORDS = 14
FOREIGN = 1_000_000
"""Sequence numbers from here on were never produced."""


@dataclass
class History:
    """The lines of one repeat by kind, which a planting changes; `expected` is what it planted.

    `consume` holds what was read during the repeat. If the history `has_fresh`, a fresh consumer
    then reads what the first consumer has read, as far as the log goes: except the places in
    `vanished`, and those in `displaced` elsewhere. `late` is how many offsets came after it asked
    for the log's end. Without it, the lines are those of an old run.
    """

    repeat: int
    transactional: bool
    has_fresh: bool = True
    late: int = 0
    vanished: set[tuple[int, int]] = field(default_factory=set)
    displaced: dict[tuple[int, int], int] = field(default_factory=dict)
    produce: list[Line] = field(default_factory=list)
    consume: list[Line] = field(default_factory=list)
    transactions: list[Line] = field(default_factory=list)
    transaction_reads: list[Line] = field(default_factory=list)
    isr: list[Line] = field(default_factory=list)
    roles: list[Line] = field(default_factory=list)
    batches: list[Line] = field(default_factory=list)
    replica_logs: list[Line] = field(default_factory=list)
    phases: list[Line] = field(default_factory=list)
    skipped_by_group: set[tuple[int, int]] = field(default_factory=set)
    expected: dict[Found, set[int]] = field(default_factory=dict)

    @property
    def topic(self) -> str:
        return f"made-up-r{self.repeat}"

    def expect(self, anomaly: str, partition: int, offset: int | None, *seqs: int) -> None:
        """Note what the checker must find, and sequence numbers that its operations must show."""
        self.expected[anomaly, partition, offset] = set(seqs)

    def sent(self, partition: int) -> list[Line]:
        """Return the produce lines of the records in a partition's log, in its order."""
        offsets = {line["seq"]: line["offset"] for line in self.read(partition)}
        lines = [line for line in self.produce if line["partition"] == partition]
        there = [line for line in lines if line["seq"] in offsets]
        return sorted(there, key=lambda line: offsets[line["seq"]])

    def plain(self, partition: int) -> list[Line]:
        """Return the produce lines of `sent` that were acked outside of transactions."""
        sent = self.sent(partition)
        return [each for each in sent if each["transaction"] is None and each["offset"] is not None]

    def read(self, partition: int) -> list[Line]:
        return [line for line in self.consume if line["partition"] == partition]

    def read_of(self, line: Line) -> Line:
        """Return the read of the record of a produce line."""
        place = (line["partition"], line["seq"])
        return next(read for read in self.consume if (read["partition"], read["seq"]) == place)

    def reads_inside(self, transaction: int, partition: int) -> list[Line]:
        """Return the reads of a partition in a transaction, in order."""
        place, reads = (transaction, partition), self.transaction_reads
        return [read for read in reads if (read["transaction"], read["partition"]) == place]

    def of_transaction(self, transaction: int, partition: int) -> list[Line]:
        """Return the produce lines of a transaction's records in a partition, in order."""
        place = (transaction, partition)
        return [line for line in self.produce if (line["transaction"], line["partition"]) == place]

    def read_only(self, transaction: int, record: Line, read_ms: float) -> None:
        """Let a transaction read this record and no other one of its partition."""
        for read in self.reads_inside(transaction, record["partition"]):
            self.transaction_reads.remove(read)
        self.transaction_reads.append({
            "producer": 0, "transaction": transaction, "partition": record["partition"],
            "offset": record["offset"], "seq": record["seq"], "read_ms": read_ms,
        })  # fmt: skip

    def also_read(self, partition: int, offset: int, seq: int, consumer: int = 0) -> None:
        """Let a consumer read a record at the end of the repeat."""
        place = {"partition": partition, "offset": offset, "seq": seq}
        self.consume.append({**place, "read_ms": 8_000.0, "consumer": consumer})

    def batches_of(self, partition: int, replica: int | None = None) -> list[Line]:
        """Return the batches of a replica, or of all."""
        return [
            line
            for line in self.batches
            if line["partition"] == partition and replica in (None, line["replica"])
        ]

    def end(self, partition: int, replica: int | None = None) -> int:
        """Return the offset after the last batch of a replica, or of the longest log."""
        batches = self.batches_of(partition, replica)
        return max((line["last_offset"] for line in batches), default=-1) + 1

    def lines(self) -> Iterator[tuple[str, Line]]:
        """Yield every line with its kind, after numbering the reads and adding what follows."""
        for nth, line in enumerate(self.consume):
            line["nth"] = nth
            if self.has_fresh:
                line.update(fresh=False, corrupt=line.get("corrupt"))
        for nth, line in enumerate(self.transaction_reads):
            line["nth"] = nth
        for log in self.replica_logs:
            log["end_offset"] = self.end(log["partition"], log["replica"])
        followed = {
            "consume": self._re_read(), "read_back": self._read_back(), "group": self._group(),
        }  # fmt: skip
        for kind in FILES:
            for line in (*getattr(self, kind, ()), *followed.get(kind, ())):
                yield kind, {"arm": ARM, "repeat": self.repeat, "topic": self.topic, **line}

    def _group(self) -> Iterator[Line]:
        """Yield what a consumer group did: it read what the consumer did, except what it skips.

        A rebalance makes the other member read some records again, before it commits.
        """
        places = sorted({(line["partition"], line["offset"]) for line in self.consume})
        for partition, offset in places:
            same = {"partition": partition, "offset": offset, "group": 0, "protocol": "classic"}
            if (partition, offset) not in self.skipped_by_group:
                for member in (0, 1) if offset % 5 == 0 else (0,):
                    yield {**same, "t_ms": 10.0 * offset, "member": member, "type": "read"}
            if offset % 3 == 0:
                committed = {"type": "committed", "offset": offset + 1, "member": 0}
                yield {**same, "t_ms": 10.0 * offset + 1, **committed}

    def _re_read(self) -> list[Line]:
        """Return the reads of the fresh consumer."""
        if not self.has_fresh:
            return []
        seen = {
            (partition, self.displaced.get((partition, offset), offset)): line
            for line in reversed(self.consume)
            if line["consumer"] == 0
            for partition, offset in [(line["partition"], line["offset"])]
            if (partition, offset) not in self.vanished and offset < self.end(partition)
        }
        return [
            {**seen[place], "offset": place[1], "read_ms": 9_500.0, "nth": nth, "fresh": True}
            for nth, place in enumerate(sorted(seen))
        ]

    def _read_back(self) -> Iterator[Line]:
        for partition in range(PARTITIONS if self.has_fresh else 0):
            end = self.end(partition)
            last = max((line["offset"] for line in self.read(partition)), default=-1)
            for fresh in (False, True):
                yield {
                    "t_ms": 9_600.0, "partition": partition, "consumer": 0, "fresh": fresh,
                    "position": end if fresh else max(end, last + 1),
                    "end_offset": end - (min(self.late, end) if fresh else 0),
                }  # fmt: skip


Plant = Callable[[History, int, random.Random], None]


@dataclass(frozen=True)
class Planting:
    """A function that changes one partition of a history, and the histories that it fits.

    `transactional` is whether it fits only histories with transactions, or only those without;
    None: any. It needs those with a fresh consumer if it `needs_fresh`. If `once`, it can change
    only one partition of a history.
    """

    plant: Plant
    transactional: bool | None = None
    needs_fresh: bool = False
    once: bool = False

    def fits(self, history: History) -> bool:
        """Return whether the planting can change this history."""
        has_all = history.has_fresh or not self.needs_fresh
        return has_all and self.transactional in (None, history.transactional)
