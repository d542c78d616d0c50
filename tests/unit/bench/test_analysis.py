"""The benchmark of the analysis: what it copies, what it compares, and one real measurement."""

from dataclasses import replace
from pathlib import Path

import pytest

from analysed import unpack
from commands import insync_json
from insync.bench.analysis import (
    Difference,
    checkout,
    copy_recorded,
    differences,
    require_recorded,
    results_of,
    this_installation,
)
from insync.errors import InputError

ROOT = Path(__file__).parents[3]


def files(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}


def test_only_what_was_recorded_is_copied(tmp_path: Path) -> None:
    run = unpack("kip-501", tmp_path)
    (run / "tables" / "gold").mkdir(parents=True)
    (run / "tables" / "gold" / "rows.parquet").touch()
    (run / "report.html").touch()
    copy_recorded(run, tmp_path / "copy")
    events = {f"events/{each}" for each in files(run / "events")}
    assert files(tmp_path / "copy") == {"run.json", *events}


def test_of_a_matrix_the_plan_and_the_runs_are_copied(tmp_path: Path) -> None:
    matrix = unpack("matrix", tmp_path)
    copy_recorded(matrix, tmp_path / "copy")
    copied = files(tmp_path / "copy")
    assert {"matrix-plan.json", "4.3.1/read-stall/run.json"} <= copied
    assert not [name for name in copied if Path(name).name in ("matrix.json", "verdict.json")]
    assert len([name for name in copied if name.endswith("run.json")]) == 2


def test_a_matrix_is_measured_alone(tmp_path: Path) -> None:
    run, matrix = (unpack(name, tmp_path) for name in ("kip-501", "matrix"))
    require_recorded([matrix])
    require_recorded([run, run])
    with pytest.raises(InputError, match="a matrix, expected no other FOLDER besides it"):
        require_recorded([run, matrix])


def test_a_checkouts_sources_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/before")
    assert checkout(ROOT).path == f"{ROOT / 'pyharness'}:{ROOT / 'bridge' / 'python'}:/before"
    monkeypatch.delenv("PYTHONPATH")
    assert this_installation().path == str(ROOT / "pyharness")


def test_results_are_found_by_their_path(tmp_path: Path) -> None:
    (tmp_path / "4.3.1").mkdir()
    (tmp_path / "matrix.json").write_text("[1]")
    (tmp_path / "4.3.1" / "verdict.json").write_text('{"lost": 0}')
    assert results_of(tmp_path) == {"matrix.json": [1], "4.3.1/verdict.json": {"lost": 0}}


def test_differences_are_named_once_by_key_and_side() -> None:
    first = {"v": {"arms": {"stock": {"lost": [0, 1], "acked": [5]}}, "verdict": "pass"}}
    other = {"v": {"arms": {"stock": {"lost": [0, 2], "acked": [5, 6]}}, "reason": "why"}}
    assert differences([("this", first), ("against", first)]) == []
    expected = [
        Difference("against", "v:.arms.stock.acked", [5], [5, 6]),
        Difference("against", "v:.arms.stock.lost[1]", 1, 2),
        Difference("against", "v:.reason", "missing", "why"),
        Difference("against", "v:.verdict", "pass", "missing"),
    ]
    results = [("this", first), ("against", other), ("against", other)]
    assert differences(results) == expected
    assert differences([*results, ("this", other)])[4:] == [
        replace(each, side="this") for each in expected
    ]


@pytest.mark.long
def test_a_recording_is_measured_against_these_sources(tmp_path: Path) -> None:
    run = unpack("kip-501", tmp_path)
    before = files(run)
    found = insync_json("bench", "analysis", run, "--against", ROOT, "--times", "1")
    assert found["differences"] == []
    assert [one["side"] for one in found["measured"]] == ["this", "against"]
    for one in found["measured"]:
        assert len(one["costs"]) == 1
        assert one["costs"][0]["cpu_s"] > 0
    assert set(found["ratios"]) == {"wall_s", "cpu_s", "peak_bytes"}
    assert files(run) == before
