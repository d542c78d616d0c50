"""Writes a small made-up run folder, with the same files and lines as a real run.

It is KIP-501's case: broker 1's reads of partitions 0 and 1 stall for a while. Under stock
Kafka the ISR shrinks to the leader when the stall ends; under the plugin it stays full.
"""

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EPOCH_MS = 1_790_000_000_000.0
LEADERS = (1, 1, 2, 3)
ALL_IDS = (1, 2, 3)

Line = dict[str, Any]


@dataclass(frozen=True)
class Story:
    """What happens in the made-up run; times in ms from a repeat's start."""

    arms: tuple[str, ...] = ("stock", "plugin")
    repeats: int = 3
    interval_ms: float = 100.0
    stall_at_ms: float = 2_000.0
    stall_for_ms: float = 5_000.0
    length_ms: float = 10_000.0
    lag_ms: float = 2_000.0
    faults: bool = True
    finished: bool = True
    seed: int = 7
    shrinking: frozenset[str] = field(default=frozenset({"stock"}))

    @property
    def lifted_ms(self) -> float:
        return self.stall_at_ms + self.stall_for_ms


def write_run(folder: Path, story: Story | None = None) -> Path:
    story = story or Story()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(run_json(story)), encoding="utf-8")
    for number, arm in enumerate(story.arms):
        _write_arm(folder / "events" / arm, story, arm, EPOCH_MS + number * 100_000.0)
    return folder


def run_json(story: Story) -> Line:
    fault = {
        "kind": "stall", "site": "read", "mode": "hold", "delay_ms": 0, "broker": 1,
        "partitions": [0, 1], "at_ms": story.stall_at_ms, "for_ms": story.stall_for_ms,
    }  # fmt: skip
    return {
        "schema": 1,
        "scenario_name": "made-up",
        "kafka": "4.3.1",
        "scale": 0.2,
        "seed": story.seed,
        "arms": list(story.arms),
        "repeats": story.repeats,
        "started_ms": EPOCH_MS - 5_000.0,
        **({"finished_ms": EPOCH_MS + 300_000.0} if story.finished else {}),
        "host": {"cores": 2, "java": "17.0.15", "python": "3.11.2", "insync": "0.1.0"},
        "scenario": {
            "schema": 1,
            "name": "made-up",
            "summary": "a leader's reads are held",
            "arms": list(story.arms),
            "control_arms": ["stock"],
            "repeats": story.repeats,
            "min_insync_replicas": 2,
            "broker": {"replica_lag_time_max_ms": story.lag_ms, "replica_fetch_wait_max_ms": 100},
            "workload": {
                "leaders": list(LEADERS),
                "rate_per_partition": int(1_000 / story.interval_ms),
                "record_bytes": 200,
            },
            "timeline": {"steady_ms": story.stall_at_ms, "recover_ms": 3_000},
            "faults": [fault] if story.faults else [],
            "expect": {"stock": {"isr_shrinks": {"min": 1}}, "plugin": {"isr_shrinks": {"max": 0}}},
        },
    }


def append(path: Path, lines: Iterable[Line]) -> None:
    """Append event lines to a file, each with its schema version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"v": 1, **line}) + "\n" for line in lines)


def rewrite(path: Path, lines: Iterable[Line]) -> None:
    """Write other lines into a file of a run."""
    path.unlink()
    append(path, lines)


def _write_arm(folder: Path, story: Story, arm: str, begun_ms: float) -> None:
    phase = {"arm": arm, "repeat": -1, "topic": None, "note": ""}
    append(folder / "phases.jsonl", [{**phase, "type": "cluster_ready", "t_ms": begun_ms}])
    fencing = {"arm": arm, "t_ms": begun_ms - 900.0, "kind": "broker"}
    append(folder / "isr.jsonl", ({**fencing, "broker": b, "fenced": False} for b in ALL_IDS))
    for repeat in range(story.repeats):
        start = begun_ms + 1_000.0 + repeat * (story.length_ms + 1_000.0)
        _write_repeat(folder, story, arm, repeat, start)


def _write_repeat(folder: Path, story: Story, arm: str, repeat: int, start: float) -> None:
    chance = random.Random(f"{story.seed} {arm} {repeat}")  # noqa: S311 - no secret
    key = {"arm": arm, "repeat": repeat, "topic": f"made-up-r{repeat}"}
    end = start + story.length_ms
    moments = (("repeat_started", start - 400.0), ("steady", start), ("repeat_ended", end))
    append(
        folder / "phases.jsonl",
        ({**key, "type": name, "t_ms": at, "note": ""} for name, at in moments),
    )
    records = list(_records(story, start, chance))
    append(folder / f"produce-{repeat}.jsonl", ({**key, **record} for record in records))
    append(
        folder / f"consume-{repeat}.jsonl",
        (
            {**key, "partition": r["partition"], "offset": r["offset"], "seq": r["seq"],
             "read_ms": end, "nth": nth}
            for nth, r in enumerate(records)
        ),
    )  # fmt: skip
    _write_logs(folder, key, records, start)
    append(folder / "isr.jsonl", _isr_lines(story, arm, f"made-up-r{repeat}", start))
    if story.faults:
        append(folder / "faults.jsonl", [_fault_line(story, arm, repeat, start)])
    if arm != "stock":
        lines = (_counters_line(story, arm, repeat, end, broker) for broker in ALL_IDS)
        append(folder / "counters.jsonl", lines)


def _records(story: Story, start: float, chance: random.Random) -> Iterator[Line]:
    for partition, leader in enumerate(LEADERS):
        for seq in range(int(story.length_ms // story.interval_ms) - 1):
            due = seq * story.interval_ms + 9.0 * partition
            latency = 2.0 + chance.expovariate(0.4)
            if story.faults and leader == 1 and story.stall_at_ms <= due < story.lifted_ms:
                latency += story.lifted_ms - due
            yield {
                "partition": partition, "seq": seq, "sent_ms": start + due,
                "done_ms": start + due + latency, "latency_ms": latency,
                "error": None, "offset": seq, "producer": 0,
            }  # fmt: skip


def _isr_lines(story: Story, arm: str, topic: str, start: float) -> Iterator[Line]:
    shrinks = story.faults and arm in story.shrinking
    for partition, leader in enumerate(LEADERS):
        replicas = [leader, *(broker for broker in ALL_IDS if broker != leader)]
        states = [(-400.0, replicas)]
        if shrinks and leader == 1:
            states += [(story.lifted_ms + 15.0, [leader]), (story.lifted_ms + 600.0, replicas)]
        for at, isr in states:
            yield {
                "arm": arm, "t_ms": start + at, "kind": "partition", "topic": topic,
                "partition": partition, "leader": leader, "leader_epoch": 0, "isr": isr,
                "elr": [], "replicas": replicas,
            }  # fmt: skip


def _write_logs(folder: Path, key: Line, records: list[Line], start: float) -> None:
    """Write the brokers' roles, and their logs with a batch per record."""
    topic = {"arm": key["arm"], "topic": key["topic"]}
    for partition, leader in enumerate(LEADERS):
        sizes = [r for r in records if r["partition"] == partition]
        for broker in ALL_IDS:
            role = {
                **topic, "partition": partition, "t_ms": start - 399.0, "broker": broker,
                "life": 1, "role": "leader" if broker == leader else "follower",
                "leader_epoch": 0, "from_offset": 0, "high_watermark": 0,
            }  # fmt: skip
            append(folder / "roles.jsonl", [role])
            log = {**key, "partition": partition, "replica": broker}
            append(
                folder / f"batches-{key['repeat']}.jsonl",
                (
                    {**log, "base_offset": r["offset"], "last_offset": r["offset"],
                     "leader_epoch": 0, "producer_id": -1, "producer_epoch": -1,
                     "base_sequence": -1, "crc": r["offset"] * 31 + partition, "bytes": 270,
                     "transactional": False, "control": None, "valid": True}
                    for r in sizes
                ),
            )  # fmt: skip
            end = {"start_offset": 0, "end_offset": len(sizes), "batches": len(sizes)}
            append(folder / "replica-logs.jsonl", [{**log, **end, "problem": None}])


def _fault_line(story: Story, arm: str, repeat: int, start: float) -> Line:
    topic = f"made-up-r{repeat}"
    return {
        "arm": arm, "repeat": repeat, "fault": "stall", "site": "read", "mode": "hold",
        "broker": 1, "target": [f"{topic}-0", f"{topic}-1"],
        "injected_ms": start + story.stall_at_ms, "lifted_ms": start + story.lifted_ms,
        "calls_held": 4, "held_ms": 3.9 * story.stall_for_ms,
        "longest_held_ms": story.stall_for_ms - 12.5,
        "acted_ms": story.stall_for_ms - 12.5, "planned_ms": story.stall_for_ms,
    }  # fmt: skip


def _counters_line(story: Story, arm: str, repeat: int, end: float, broker: int) -> Line:
    on = arm == "plugin"
    held = 4 * (repeat + 1) if on and broker == 1 else 0
    return {
        "arm": arm, "repeat": repeat, "t_ms": end, "broker": broker, "enabled": on, "errors": 0,
        "holds_granted": held, "marks_total": 400 * (repeat + 1), "pending_now": 2,
        "released_total": 400 * (repeat + 1) - 2, "held_now": 0,
        "longest_hold_ms": story.stall_for_ms if held else 0.0, "events_dropped": 0,
    }  # fmt: skip
