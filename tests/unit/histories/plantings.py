"""Plants every anomaly in made-up histories.

A function with `@planting(ANOMALY)` changes one partition of a history, and notes in
`History.expected` what the checker must find.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from unit.histories.clean import clean
from unit.histories.history import FOREIGN, PARTITIONS, REPLICAS, History, Line, Plant, Planting

PLANTINGS: dict[str, list[Planting]] = defaultdict(list)
"""The plantings by the anomaly's name."""
NO_NUMBERS = {"producer_id": -1, "producer_epoch": -1, "base_sequence": -1}
OTHER_PRODUCER = {"producer_id": 9, "producer_epoch": 2}


def planting(anomaly: str, **fits: bool) -> Callable[[Plant], Plant]:
    """Add a function to `PLANTINGS`; `fits` are the fields of `Planting`."""

    def add(plant: Plant) -> Plant:
        PLANTINGS[anomaly].append(Planting(plant, **fits))
        return plant

    return add


@planting("corrupt", needs_fresh=True)
def corrupt(history: History, partition: int, chance: random.Random) -> None:
    """Let both consumers read a value that does not fit, so that its record is lost."""
    record = chance.choice(history.plain(partition)[1:-1])
    history.read_of(record).update(seq=-1, corrupt="record 7 of another topic")
    history.expect("corrupt", partition, record["offset"])
    history.expect("lost-write", partition, record["offset"], record["seq"])
    if history.transactional:
        history.expect("poll-skip", partition, record["offset"])


@planting("duplicate")
def duplicate(history: History, partition: int, chance: random.Random) -> None:
    """Append a record of a producer without idempotence to the log a second time."""
    record = chance.choice(history.plain(partition))
    record["idempotent"] = False
    history.also_read(partition, append(history, partition, NO_NUMBERS), record["seq"])
    history.expect("duplicate", partition, record["offset"], record["seq"])


@planting("idempotent-duplicate")
def idempotent_duplicate(history: History, partition: int, chance: random.Random) -> None:
    """Append a record a second time, in another epoch, so that the brokers cannot know it."""
    record = chance.choice(history.plain(partition))
    record["idempotent"] = True
    numbers = {"producer_id": 4, "producer_epoch": 1, "base_sequence": 0}
    history.also_read(partition, append(history, partition, numbers), record["seq"])
    history.expect("idempotent-duplicate", partition, record["offset"], record["seq"])


def append(history: History, partition: int, numbers: Line) -> int:
    """Append a batch of one record, with these numbers, to all logs; return its offset."""
    end = history.end(partition)
    for replica in REPLICAS:
        last = history.batches_of(partition, replica)[-1]
        batch = {**last, "base_offset": end, "last_offset": end, "crc": 7, "control": None}
        history.batches.append({**batch, **numbers})
    return end


@planting("group-skip")
def group_skip(history: History, partition: int, chance: random.Random) -> None:
    """Let no member process a record below an offset that the group commits."""
    read = history.read(partition)
    last_commit = max(line["offset"] for line in read if line["offset"] % 3 == 0)
    record = chance.choice([line for line in read if line["offset"] <= last_commit])
    history.skipped_by_group.add((partition, record["offset"]))
    history.expect("group-skip", partition, record["offset"], record["seq"])


@planting("inconsistent-offsets")
def other_record_in_a_second_read(history: History, partition: int, chance: random.Random) -> None:
    """Let another consumer read another record at an offset."""
    record = chance.choice(history.plain(partition))
    history.also_read(partition, record["offset"], FOREIGN, consumer=1)
    history.expect("inconsistent-offsets", partition, record["offset"], record["seq"], FOREIGN)
    history.expect("unexpected", partition, record["offset"], FOREIGN)
    if history.has_fresh:  # which does not find it
        history.expect("lost-write", partition, record["offset"], FOREIGN)


@planting("inconsistent-offsets")
def other_record_in_the_only_read(history: History, partition: int, chance: random.Random) -> None:
    """Let the only consumer read another record at the offset of an ack, so that one is lost."""
    record = chance.choice(history.plain(partition)[1:-1])
    history.read_of(record)["seq"] = FOREIGN
    history.expect("inconsistent-offsets", partition, record["offset"], record["seq"], FOREIGN)
    history.expect("lost-write", partition, record["offset"], record["seq"])
    history.expect("unexpected", partition, record["offset"], FOREIGN)
    if history.transactional:
        history.expect("poll-skip", partition, record["offset"])


@planting("log-divergence")
def log_divergence(history: History, partition: int, chance: random.Random) -> None:
    """Let one replica's log differ from a batch on, or lack that batch and all after it."""
    replica = chance.choice(REPLICAS)
    read_to = max(line["offset"] for line in history.read(partition))
    batches = history.batches_of(partition, replica)
    own = [line for line in batches if line["base_offset"] <= read_to]
    at = chance.randrange(len(own))
    how = chance.choice(["crc", "leader_epoch", "bytes", "valid", "missing"])
    for line in own[at:]:
        if how == "missing":
            history.batches.remove(line)
        else:
            line[how] = False if how == "valid" else line[how] + 1
    history.expect("log-divergence", partition, own[at]["base_offset"])
    if how in ("valid", "missing"):
        gone = {each for line in own[at:] for each in range(*offsets_of(line))}
        expect_missing(history, partition, {each for each in gone if each <= read_to})


@planting("lost-write")
def lost_write(history: History, partition: int, chance: random.Random) -> None:
    """Remove the read of an acked record."""
    record = chance.choice(history.plain(partition)[1:-1])
    history.consume.remove(history.read_of(record))
    history.expect("lost-write", partition, record["offset"], record["seq"])
    history.expect("poll-skip", partition, record["offset"])


@planting("lost-write", needs_fresh=True)
def lost_after_the_read(history: History, partition: int, chance: random.Random) -> None:
    """Let the fresh consumer not find a record, acked or not, that was read during the repeat."""
    read = chance.choice(history.read(partition)[1:-1])
    history.vanished.add((partition, read["offset"]))
    history.expect("lost-write", partition, read["offset"], read["seq"])
    place = (partition, read["seq"])
    sent = next(line for line in history.produce if (line["partition"], line["seq"]) == place)
    ends = {line["transaction"]: line["end"] for line in history.transactions}
    acked = sent["offset"] is not None and ends.get(sent["transaction"]) in (None, "committed")
    if acked or not history.transactional:
        history.expect("poll-skip", partition, read["offset"])


@planting("missing-from-log")
def missing_from_log(history: History, partition: int, chance: random.Random) -> None:
    """Remove the batch of an acked record from all replicas, but not the last batch."""
    last = history.end(partition) - 1
    batches = history.batches_of(partition)
    places = {offsets_of(line) for line in batches if line["last_offset"] < last}
    acked = [line["offset"] for line in history.plain(partition)]
    first, to = chance.choice(
        sorted(each for each in places if any(offset in range(*each) for offset in acked))
    )
    for line in batches:
        if line["base_offset"] == first:
            history.batches.remove(line)
    expect_missing(history, partition, range(first, to))


def offsets_of(batch: Line) -> tuple[int, int]:
    """Return a batch's first offset, and the one after its last."""
    return batch["base_offset"], batch["last_offset"] + 1


def expect_missing(history: History, partition: int, offsets: Collection[int]) -> None:
    """Note that the acks of these offsets are not in the replicas' logs."""
    for line in history.produce:
        acked = line["error"] is None and line["done_ms"] is not None
        if line["partition"] == partition and acked and line["offset"] in offsets:
            history.expect("missing-from-log", partition, line["offset"], line["seq"])


@planting("moved", transactional=True)
def moved_in_the_ack(history: History, partition: int, chance: random.Random) -> None:
    """Let the ack of a transaction's record name the offset of the marker behind it."""
    record = history.of_transaction(chance.choice([0, 2]), partition)[-1]
    record["offset"] += 1
    history.expect("moved", partition, record["offset"], record["seq"])


@planting("moved", transactional=True, needs_fresh=True)
def moved_in_the_reads(history: History, partition: int, chance: random.Random) -> None:
    """Let the fresh consumer find a transaction's record at the offset of the marker behind it."""
    record = history.of_transaction(chance.choice([0, 2]), partition)[-1]
    offset = record["offset"]
    history.displaced[partition, offset] = offset + 1
    history.expect("moved", partition, offset, record["seq"])
    history.expect("idempotent-duplicate", partition, offset, record["seq"])


@planting("nonmonotonic-high-watermark")
def nonmonotonic_high_watermark(history: History, partition: int, chance: random.Random) -> None:
    """Let a leader become follower with a lower high watermark than that with which it led.

    Before, it was a follower with a higher one, which is not an anomaly: it took over its leader's.
    """
    last = [line for line in history.roles if line["partition"] == partition][-1]
    high = 30 + chance.randrange(5)
    marks = (("follower", high + 1), ("leader", high), ("follower", high - 2))
    for epoch, (role, mark) in enumerate(marks, last["leader_epoch"] + 1):
        began = {"role": role, "leader_epoch": epoch, "high_watermark": mark}
        history.roles.append({**last, **began})
    history.expect("nonmonotonic-high-watermark", partition, high - 2)


@planting("nonmonotonic-poll")
def nonmonotonic_poll(history: History, partition: int, chance: random.Random) -> None:
    """Let the consumer go back some records and read them again."""
    reads = history.read(partition)
    last = chance.randrange(1, len(reads) - 1)
    first = chance.randint(max(0, last - 3), last)
    at = history.consume.index(reads[last]) + 1
    history.consume[at:at] = [dict(line) for line in reads[first : last + 1]]
    history.expect("nonmonotonic-poll", partition, reads[first]["offset"], reads[first]["seq"])


@planting("nonmonotonic-send")
def nonmonotonic_in_time(history: History, partition: int, chance: random.Random) -> None:
    """Give a record a lower offset than one that was acked before it was due."""
    pairs = [
        (first, then)
        for first, then in pairwise(history.plain(partition))
        if first["done_ms"] < then["sent_ms"] and then["offset"] == first["offset"] + 1
    ]
    swap(history, partition, *chance.choice(pairs))


@planting("nonmonotonic-send")
def nonmonotonic_in_sequence(history: History, partition: int, chance: random.Random) -> None:
    """Swap two records of an idempotent producer that were in flight together."""
    records = [line for line in history.plain(partition) if line["producer"] == 0][:5]
    # Without idempotence some records in flight together may rightly be out of order already.
    in_order = [pair for pair in pairwise(records) if pair[0]["seq"] < pair[1]["seq"]]
    first, then = chance.choice(in_order)
    first["idempotent"] = then["idempotent"] = True
    for line in history.produce:
        if line["partition"] == partition and line["done_ms"] is not None:
            line["done_ms"] = 2_500.0  # so that only the sequence shows it
    swap(history, partition, first, then)


@planting("int-nonmonotonic-send", transactional=True)
def nonmonotonic_in_a_transaction(history: History, partition: int, chance: random.Random) -> None:
    """Swap two records of one transaction."""
    first, then = history.of_transaction(chance.choice([0, 2]), partition)
    swap(history, partition, first, then, "int-nonmonotonic-send")


def swap(
    history: History, partition: int, first: Line, then: Line, kind: str = "nonmonotonic-send"
) -> None:
    """Swap the offsets of two records, in the acks and all reads."""
    for read in history.transaction_reads:
        if read["partition"] == partition and read["seq"] in (first["seq"], then["seq"]):
            read["seq"] = first["seq"] + then["seq"] - read["seq"]
    reads = history.read_of(first), history.read_of(then)
    first["offset"], then["offset"] = then["offset"], first["offset"]
    reads[0]["seq"], reads[1]["seq"] = then["seq"], first["seq"]
    history.expect(kind, partition, then["offset"], then["seq"])


@planting("poll-skip", transactional=False)
def poll_skip(history: History, partition: int, chance: random.Random) -> None:
    """Let a second consumer skip a record that the first one reads."""
    reads = history.read(partition)
    at = chance.randrange(1, len(reads) - 1)
    before, skipped, after = reads[at - 1 : at + 2]
    for read in (before, after):
        history.also_read(partition, read["offset"], read["seq"], consumer=1)
    history.expect("poll-skip", partition, skipped["offset"], before["seq"], after["seq"])


@planting("repeated-sequence")
def the_same_batch(history: History, partition: int, chance: random.Random) -> None:
    """Append a batch of an idempotent producer a second time, which no consumer reads."""
    batch = _numbered(history, partition, chance)
    numbers = {**OTHER_PRODUCER, "base_sequence": batch["base_sequence"]}
    end = append(history, partition, numbers)
    history.expect("repeated-sequence", partition, end, batch["base_sequence"])


@planting("repeated-sequence")
def the_end_of_a_batch(history: History, partition: int, chance: random.Random) -> None:
    """Append a batch that begins with the last number of an earlier one."""
    batch = _numbered(history, partition, chance)
    last = batch["base_sequence"] + batch["last_offset"] - batch["base_offset"]
    end = append(history, partition, {**OTHER_PRODUCER, "base_sequence": last})
    history.expect("repeated-sequence", partition, end, batch["base_sequence"], last)


def _numbered(history: History, partition: int, chance: random.Random) -> Line:
    """Give one batch of records the numbers of another producer in all logs; return it."""
    own = history.batches_of(partition)
    at = chance.choice([line["base_offset"] for line in own if line["control"] is None])
    batches = [line for line in own if line["base_offset"] == at]
    for batch in batches:
        batch.update(OTHER_PRODUCER, base_sequence=100)
    return batches[0]


@planting("split-epoch")
def split_epoch(history: History, partition: int, chance: random.Random) -> None:
    """Let another broker log that it is leader in the same epoch."""
    led = chance.choice(
        [r for r in history.roles if r["partition"] == partition and r["role"] == "leader"]
    )
    other = chance.choice([broker for broker in REPLICAS if broker != led["broker"]])
    history.roles.append({**led, "broker": other, "t_ms": led["t_ms"] + 2, "life": 2})
    history.expect("split-epoch", partition, None)


@planting("truncated")
def truncated(history: History, partition: int, chance: random.Random) -> None:
    """Remove a tail that a consumer read from the logs of all replicas, alike."""
    reads, batches = history.read(partition), history.batches_of(partition)
    last_read = max(line["offset"] for line in reads)
    starts = {line["base_offset"] for line in batches if 0 < line["base_offset"] <= last_read}
    cut, end = chance.choice(sorted(starts)), history.end(partition)
    for line in batches:
        if line["base_offset"] >= cut:
            history.batches.remove(line)
    history.expect("truncated", partition, cut)
    expect_missing(history, partition, range(cut, end))
    for read in reads if history.has_fresh else ():
        if read["offset"] >= cut:
            history.expect("lost-write", partition, read["offset"], read["seq"])


@planting("unexpected")
def unexpected(history: History, partition: int, chance: random.Random) -> None:
    """Append a record to the log that no producer sent."""
    seq = FOREIGN + chance.randrange(100)
    end = append(history, partition, NO_NUMBERS)
    history.also_read(partition, end, seq)
    history.expect("unexpected", partition, end, seq)


@planting("aborted-read", transactional=True)
def aborted_read(history: History, partition: int, chance: random.Random) -> None:
    """Let a consumer read a record of an aborted transaction, in the order of the offsets."""
    record = history.of_transaction(1, partition)[0]
    behind = next(r for r in history.read(partition) if r["offset"] > record["offset"])
    read = {**behind, "offset": record["offset"], "seq": record["seq"]}
    history.consume.insert(history.consume.index(behind), read)
    history.expect("aborted-read", partition, record["offset"], record["seq"])


@planting("fractured-read", transactional=True, once=True)
def fractured_read(history: History, partition: int, chance: random.Random) -> None:
    """Remove the read of one record of a committed transaction."""
    record = history.of_transaction(chance.choice([0, 2]) if partition else 0, partition)[0]
    history.consume.remove(history.read_of(record))
    for kind in ("lost-write", "poll-skip", "fractured-read"):
        history.expect(kind, partition, record["offset"], record["seq"])


@planting("g1c", transactional=True, once=True)
def g1c(history: History, partition: int, chance: random.Random) -> None:
    """Let two transactions read from each other, the first one before the second one ends."""
    one, other = (chance.choice(history.of_transaction(number, partition)) for number in (0, 2))
    history.read_only(2, one, one["sent_ms"] + 200.5)
    history.read_only(0, other, one["sent_ms"] + 0.5)
    history.expect("g1c", partition, other["offset"], other["seq"])
    history.expect("precommitted-read", partition, other["offset"], other["seq"])


@planting("int-nonmonotonic-poll", transactional=True)
def poll_back_in_a_transaction(history: History, partition: int, chance: random.Random) -> None:
    """Let a transaction read one of its records again."""
    again = chance.choice(history.reads_inside(chance.choice([0, 1, 2]), partition))
    history.transaction_reads.append(dict(again))
    history.expect("int-nonmonotonic-poll", partition, again["offset"], again["seq"])


@planting("int-poll-skip", transactional=True)
def poll_skip_in_a_transaction(history: History, partition: int, chance: random.Random) -> None:
    """Let a transaction leave out a record between two others."""
    reads = history.reads_inside(0, partition)
    at = chance.randrange(1, len(reads) - 1)
    history.transaction_reads.remove(reads[at])
    before, after = reads[at - 1]["seq"], reads[at + 1]["seq"]
    history.expect("int-poll-skip", partition, reads[at]["offset"], before, after)


@planting("precommitted-read", transactional=True)
def precommitted_read(history: History, partition: int, chance: random.Random) -> None:
    """Let the consumer read a record before its producer requested the commit."""
    record = chance.choice(history.of_transaction(chance.choice([0, 2, 3]), partition))
    history.read_of(record)["read_ms"] = record["sent_ms"] + 5.5
    history.expect("precommitted-read", partition, record["offset"], record["seq"])


@planting("precommitted-read", transactional=True)
def precommitted_read_of_itself(history: History, partition: int, chance: random.Random) -> None:
    """Let a transaction read what it wrote."""
    number = chance.choice([0, 2, 3])
    record = chance.choice(history.of_transaction(number, partition))
    history.read_only(number, record, record["sent_ms"] + 5.5)
    history.expect("precommitted-read", partition, record["offset"], record["seq"])


@planting("precommitted-read", transactional=True, once=True)
def precommitted_without_a_request(history: History, partition: int, chance: random.Random) -> None:
    """Let the consumer read a transaction whose commit nobody requested."""
    history.transactions[3].update(asked_ms=None, took_ms=None)
    for each in range(PARTITIONS):
        for record in history.of_transaction(3, each):
            history.expect("precommitted-read", each, record["offset"], record["seq"])


ALL = tuple(each for plantings in PLANTINGS.values() for each in plantings)


def planted(repeat: int, seed: int, plantings: Sequence[Planting]) -> History:
    """Make up a history and add one planting to each of its first partitions.

    Plantings that do not fit the history are left out.
    """
    history = clean(repeat, seed)
    used: set[Planting] = set()
    for partition, each in enumerate(plantings):
        if each.fits(history) and not (each.once and each in used):
            each.plant(history, partition, random.Random(seed + partition))  # noqa: S311
            used.add(each)
    return history


def planted_where_it_fits(repeat: int, seed: int, planting: Planting) -> History:
    """Make up a history that a planting fits, from this seed or the next that gives one."""
    while not planting.fits(clean(repeat, seed)):
        seed += 1
    return planted(repeat, seed, [planting])
