"""Reads the files of JSON lines that a run leaves."""

import json
import math
from pathlib import Path
from typing import Any


def read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def lines_of(run: Path, arm: str, name: str) -> list[dict[str, Any]]:
    return read_lines(run / "events" / arm / name)


def waited_at_first_fault_ms(run: Path, arm: str) -> float:
    """Return how long a record waited for its ack when its repeat's first fault began, at most.

    0 if none waited, or without a fault or a record.
    """
    events = run / "events" / arm
    begins: dict[int, float] = {}
    for fault in _lines_if_any(events / "faults.jsonl"):
        repeat, at_ms = fault["repeat"], fault["injected_ms"]
        begins[repeat] = min(at_ms, begins.get(repeat, at_ms))
    waited = [
        begin_ms - record["sent_ms"]
        for file in events.glob("produce-*.jsonl")
        for record in read_lines(file)
        if (begin_ms := begins.get(record["repeat"])) is not None
        and record["sent_ms"] < begin_ms < (record["done_ms"] or math.inf)
    ]
    return max(waited, default=0.0)


def until_steady_ms(run: Path, arm: str) -> float:
    """Return how long a repeat of the arm needed until its acks were on time, at most; or 0."""
    phases = _lines_if_any(run / "events" / arm / "phases.jsonl")
    at_ms = {(line["type"], line["repeat"]): line["t_ms"] for line in phases}
    needed = [
        steady_ms - at_ms["repeat_started", repeat]
        for (kind, repeat), steady_ms in at_ms.items()
        if kind == "steady"
    ]
    return max(needed, default=0.0)


def _lines_if_any(file: Path) -> list[dict[str, Any]]:
    return read_lines(file) if file.is_file() else []
