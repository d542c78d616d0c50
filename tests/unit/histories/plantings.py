"""Collects the plantings of every anomaly, and makes up histories with planted anomalies.

The plantings of an anomaly are in the module of its name, as `PLANTINGS`.
"""

import random
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from unit.histories.clean import clean
from unit.histories.history import History, Planting

_OTHERS = {"clean", "history", "plantings"}

PLANTINGS: dict[str, tuple[Planting, ...]] = {
    file.stem.replace("_", "-"): import_module(f"unit.histories.{folder}{file.stem}").PLANTINGS
    for folder in ("", "isolation.")
    for file in sorted((Path(__file__).parent / folder.rstrip(".")).glob("*.py"))
    if file.stem not in _OTHERS
}
"""The plantings by the anomaly's name."""

ALL = tuple(planting for plantings in PLANTINGS.values() for planting in plantings)


def planted(repeat: int, seed: int, plantings: Sequence[Planting]) -> History:
    """Make up a history and add one planting to each of its first partitions.

    Plantings that do not fit the history are left out.
    """
    history = clean(repeat, seed)
    used: set[Planting] = set()
    for partition, planting in enumerate(plantings):
        if planting.fits(history) and not (planting.once and planting in used):
            planting.plant(history, partition, random.Random(seed + partition))  # noqa: S311
            used.add(planting)
    return history


def planted_where_it_fits(repeat: int, seed: int, planting: Planting) -> History:
    """Make up a history that a planting fits, from this seed or the next that gives one."""
    while not planting.fits(clean(repeat, seed)):
        seed += 1
    return planted(repeat, seed, [planting])
