"""Bounds how large a synthetic history may be: plain limits, and the free space on its disk."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from insync.errors import InputError

LEAST_ROWS: Final = 1_000
MOST_ROWS: Final = 1_000_000_000
BYTES_PER_ROW: Final = 50
"""20 as Parquet, measured with 1e7 rows. DuckDB and Spark spill: 1e8 rows took 5 GB in all."""


def parse_sizes(listed: str) -> list[int]:
    """Return the sizes of a comma-separated list; raises InputError."""
    try:
        sizes = [int(float(word)) for word in listed.split(",")]
    except (ValueError, OverflowError):  # OverflowError: of "inf"
        sizes = []
    if not sizes or min(sizes) < LEAST_ROWS or max(sizes) > MOST_ROWS:
        raise InputError(
            f"--rows {listed!r}: expected numbers from {LEAST_ROWS:,} to {MOST_ROWS:,},"
            " such as 1e5,1e6"
        )
    return sizes


def require_space(sizes: Sequence[int], folder: Path) -> None:
    """Check that the largest history fits on the disk of `folder`, which need not exist.

    One history is there at a time. Raises InputError.
    """
    folder = folder.absolute()
    place = next(each for each in (folder, *folder.parents) if each.exists())
    needed, free = max(sizes) * BYTES_PER_ROW, shutil.disk_usage(place).free
    if needed > free:
        raise InputError(
            f"--rows {max(sizes):,}: takes about {needed / 1e9:.1f} GB in {place},"
            f" expected at most the {free / 1e9:.1f} GB that are free"
        )
