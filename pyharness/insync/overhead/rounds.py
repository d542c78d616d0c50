"""Measures sides in turn, round by round, and writes each measurement as soon as it is made."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from insync.events.writer import write_atomic
from insync.overhead.figures import FIGURES, FigureSpec, Values, differences
from insync.overhead.measure import Side, Size, Tell
from insync.overhead.repeats import in_turn

LINES: Final = "overhead.jsonl"
"""One line per measurement, written when it is complete."""
DOCUMENT: Final = "overhead.json"

Round = dict[str, Values]
Measure = Callable[[Side, Path, Tell], Values]
"""Returns the figures of a side, measured on a cluster of its own in a new folder."""


def measure_rounds(
    sides: Sequence[Side], measure: Measure, rounds: int, out: Path, tell: Tell
) -> list[Round]:
    """Measure every side once per round, in the folder `out`.

    Each round starts with another side. What `out` has of an interrupted measurement of the same
    sides is not measured again. Returns the figures of the rounds by the sides' names.
    Raises InsyncError if a cluster or the producer fails; what was measured before stays in `out`.
    """
    found = recorded(out, rounds)
    for number, side in in_turn(sides, rounds):
        if side.name in found[number]:
            continue
        folder = out / f"round-{number + 1}" / side.name
        shutil.rmtree(folder, ignore_errors=True)
        told = _told(tell, f"round {number + 1} of {rounds}")
        found[number][side.name] = measure(side, folder, told)
        line = {"round": number + 1, "arm": side.name, **found[number][side.name]}
        with (out / LINES).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return found


def recorded(out: Path, rounds: int) -> list[Round]:
    """Return what an interrupted measurement left in `out`, for each of so many rounds."""
    found: list[Round] = [{} for _ in range(rounds)]
    if not (out / LINES).is_file():
        return found
    whole, newline, cut = (out / LINES).read_text(encoding="utf-8").rpartition("\n")
    if cut:  # by a kill; the next line would follow it without a break
        write_atomic(out / LINES, whole + newline)
    for line in map(json.loads, whole.splitlines()):
        number, side = line.pop("round"), line.pop("arm")
        if number <= rounds:
            found[number - 1][side] = line
    return found


def document(
    kafka: str,
    java: str,
    size: Size | None,
    rounds: Sequence[Round],
    base: str,
    figures: Sequence[FigureSpec] = FIGURES,
) -> dict[str, Any]:
    """Return the content of overhead.json; `size` is None if nothing was produced."""
    return {
        "v": 1,
        "kafka": kafka,
        "java": java,
        "size": None if size is None else asdict(size),
        "baseline": base,
        "figures": {spec.name: {"kind": spec.kind, "says": spec.says} for spec in figures},
        "rounds": rounds,
        "differences": [each.as_json() for each in differences(rounds, base, figures)],
    }


def _told(tell: Tell, before: str) -> Tell:
    return lambda text: tell(f"{before}, {text}")
