"""Writes odd run folders: without faults, without any event, interrupted, never steady."""

from dataclasses import replace
from pathlib import Path

from unit.run_folder import EPOCH_MS, Story, append, write_run

SMALL = Story(repeats=1, interval_ms=500.0)
NAMES = ("plain", "empty", "cut", "unsteady")
REPEAT = {"arm": "stock", "repeat": 0, "topic": "made-up-r0"}
RECORD = {**REPEAT, "partition": 0, "latency_ms": 50.0}


def write_odd_runs(folder: Path) -> list[Path]:
    """Write each of `NAMES` into a folder of its name; return them."""
    plain = replace(SMALL, arms=("stock",), faults=False)
    runs = [write_run(folder / name, replace(plain, seed=n)) for n, name in enumerate(NAMES)]
    for run in runs[1:3]:
        without_events(run)
    _cut(runs[2] / "events/stock")
    _unsteady(runs[3] / "events/stock")
    return runs


def without_events(run: Path) -> Path:
    for file in (run / "events").glob("*/*"):
        file.unlink()
    return run


def _cut(events: Path) -> None:
    """Write a repeat that starts, sends one record, and writes nothing else."""
    started = {**REPEAT, "type": "repeat_started", "t_ms": EPOCH_MS, "note": ""}
    record = {**RECORD, "seq": 0, "sent_ms": EPOCH_MS + 40.0, "done_ms": EPOCH_MS + 90.0,
              "error": None, "offset": 0}  # fmt: skip
    append(events / "phases.jsonl", [started])
    append(events / "produce-0.jsonl", [record])


def _unsteady(events: Path) -> None:
    """Add a shrink and a failed record from before the repeat was steady."""
    begun = EPOCH_MS + 1_000.0
    change = {"arm": "stock", "topic": "made-up-r0", "partition": 0, "kind": "partition",
              "leader": 1, "leader_epoch": 0, "elr": [], "replicas": [1, 2, 3]}  # fmt: skip
    states = ((200, [1]), (100, [1, 2, 3]))
    append(events / "isr.jsonl", [{**change, "t_ms": begun - at, "isr": isr} for at, isr in states])
    record = {**RECORD, "seq": 999, "sent_ms": begun - 300.0, "done_ms": begun - 250.0,
              "error": "NOT_ENOUGH_REPLICAS", "offset": None}  # fmt: skip
    append(events / "produce-0.jsonl", [record])
