"""Finds the folders of runs and matrices below a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from insync.errors import InputError
from insync.events.matrix_info import PLAN, is_matrix
from insync.events.schema import RUN

LEVELS = 3
NO_RESULTS = ("_insync.json", "campaign.json")
"""Files of the folders that `insync tables` writes, which are not results, and of campaigns, whose
matrices are further below."""


@dataclass(frozen=True)
class Found:
    """The folders of runs and matrices, and the folders that should be one but are not."""

    matrices: tuple[Path, ...]
    runs: tuple[Path, ...]
    others: tuple[Path, ...]


def find_results(folder: Path) -> Found:
    """Return what is in a folder, or up to three levels below it; raises InputError.

    The runs of a matrix are part of it and not listed. A direct subfolder that holds something, but
    neither a run nor a matrix, is one of the `others`.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder, expected one with runs or matrices")
    try:
        found = list(_below(folder, LEVELS))
        children = [] if folder in found else _folders(folder)
        others = [each for each in children if _is_other(each, found)]
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from error
    return Found(
        matrices=tuple(each for each in found if is_matrix(each)),
        runs=tuple(each for each in found if not is_matrix(each)),
        others=tuple(others),
    )


def is_result(folder: Path) -> bool:
    """Whether a folder holds a run or a matrix."""
    return any((folder / name).is_file() for name in (PLAN, RUN))


def _below(folder: Path, levels: int) -> Iterator[Path]:
    if is_result(folder):
        yield folder
    elif levels > 0:
        for child in _folders(folder):
            yield from _below(child, levels - 1)


def _folders(folder: Path) -> list[Path]:
    return sorted(each for each in folder.iterdir() if each.is_dir() and each.name[0] != ".")


def _is_other(child: Path, found: list[Path]) -> bool:
    if any((child / name).is_file() for name in NO_RESULTS) or not any(child.iterdir()):
        return False
    return not any(each.is_relative_to(child) for each in found)
