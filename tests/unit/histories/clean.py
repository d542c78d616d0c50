"""Makes up clean histories: with all that may rightly happen, and no anomaly.

Some are of an old run, without a fresh consumer. They have records that failed, records that were
written although no ack arrived, acks out of order among records that were in flight together,
leader changes, and transactions that commit and abort. Brokers may append what they still had in
their queues after a fresh consumer asked where the log ends: it then reads further than that.
"""

import random
from itertools import product

from unit.histories.history import PARTITIONS, RECORDS, REPLICAS, History, Line


def clean(repeat: int, seed: int) -> History:
    chance = random.Random(seed)  # noqa: S311
    transactional, has_fresh = chance.random() < 0.5, chance.random() < 0.8
    late = random.Random(f"late {seed}").choice((0, 0, 2))  # noqa: S311
    history = History(repeat, transactional, has_fresh, late)
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
        _replicas(history, partition, log, idempotent, chance)
    return history


def _log(history: History, partition: int, idempotent: bool, chance: random.Random) -> list[Line]:
    """Produce plain records; return what the log holds, in order of the offsets."""
    log: list[Line] = []
    pending: list[Line] = []
    for seq in range(RECORDS):
        sent = 10.0 * seq
        fate = "acked" if 0 < seq < RECORDS - 1 else "kept"
        if fate == "acked" and chance.random() < 0.15:
            fate = chance.choice(["refused", "unanswered", "failed"])
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
    if fate in ("refused", "failed"):
        line.update(error="NOT_ENOUGH_REPLICAS", offset=None, done_ms=line["sent_ms"] + 1)
    elif fate == "unanswered":
        line.update(done_ms=None, offset=None)


def _transactions(history: History, logs: dict[int, list[Line]], chance: random.Random) -> None:
    """Append transactions to the logs: their records, then a marker in each partition.

    Each reads something first, from where the last committed one ended.
    """
    kept = dict.fromkeys(logs, 0)
    for number, end in enumerate(("committed", "aborted", "committed", "unknown")):
        sent = 1_000.0 + 100.0 * number
        read = _read_inside(history, logs, kept, number, chance)
        kept = read if end == "committed" else kept
        seqs = []
        for (partition, log), nth in product(logs.items(), range(2)):
            seq = 10_000 + 100 * number + 10 * nth + partition
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


def _read_inside(
    history: History,
    logs: dict[int, list[Line]],
    positions: dict[int, int],
    number: int,
    chance: random.Random,
) -> dict[int, int]:
    """Read some records of each partition in a transaction; return the next positions."""
    positions = dict(positions)
    for partition, log in logs.items():
        for _ in range(chance.randint(4, 10)):
            while positions[partition] < len(log) and log[positions[partition]]["kind"] != "record":
                positions[partition] += 1
            if positions[partition] == len(log):
                break
            history.transaction_reads.append({
                "producer": 0, "transaction": number, "partition": partition,
                "offset": positions[partition], "seq": log[positions[partition]]["seq"],
                "read_ms": 1_000.5 + 100 * number,
            })  # fmt: skip
            positions[partition] += 1
    return positions


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


def _replicas(
    history: History, partition: int, log: list[Line], idempotent: bool, chance: random.Random
) -> None:
    batches = []
    at, sequence = 0, 0
    while at < len(log):
        size = 1 if log[at]["kind"] != "record" else min(chance.randint(1, 3), len(log) - at)
        batches.append({
            "base_offset": at, "last_offset": at + size - 1, "leader_epoch": at // 10,
            "producer_id": -1, "producer_epoch": -1, "base_sequence": -1,
            "crc": chance.getrandbits(32), "bytes": 70 * size, "transactional": False,
            "control": "commit" if log[at]["kind"] == "marker" else None, "valid": True,
        })  # fmt: skip
        if idempotent:
            is_marker = batches[-1]["control"] is not None
            numbers = {"producer_id": 4, "producer_epoch": 0}
            batches[-1] |= {**numbers, "base_sequence": -1 if is_marker else sequence}
            sequence += 0 if is_marker else size
        at += size
    for replica in REPLICAS:
        for batch in batches:
            history.batches.append({"partition": partition, "replica": replica, **batch})
        history.replica_logs.append({
            "partition": partition, "replica": replica, "start_offset": 0, "end_offset": at,
            "batches": len(batches), "problem": None,
        })  # fmt: skip
