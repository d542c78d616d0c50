"""The analysis of recorded runs gives the figures that are kept with them.

The recordings are of Kafka 4.3.1: `insync run kip-501 --scale 0.1 --repeat 1`, and
`insync matrix --only read-stall,dead-follower --arms stock,request`. Each holds the events, what
was asked for, and a verdict.json or matrix.json. A change of the analysis that is meant to change
them writes these files again: `insync report` on the unpacked folder.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysed import RECORDED_RUN, unpack


def results(folder: Path) -> dict[Path, Any]:
    """Return every verdict.json and matrix.json of a folder, by its path in it."""
    files = sorted([*folder.rglob("verdict.json"), *folder.rglob("matrix.json")])
    found = {file.relative_to(folder): json.loads(file.read_text()) for file in files}
    for each in found.values():
        if isinstance(each, dict):
            each.pop("engine")
    return found


def test_a_recorded_run_gives_the_same_figures(analysed_folders: Path, tmp_path: Path) -> None:
    then = results(unpack("kip-501", tmp_path))
    assert len(then) == 1
    assert results(analysed_folders / RECORDED_RUN) == then


def test_a_recorded_matrix_gives_the_same_figures(
    judge_matrices: Callable[..., Any], tmp_path: Path
) -> None:
    recorded = unpack("matrix", tmp_path)
    then = results(recorded)
    assert len(then) == 3
    for file in then:
        (recorded / file).unlink()
    judge_matrices(recorded)
    assert results(recorded) == then
