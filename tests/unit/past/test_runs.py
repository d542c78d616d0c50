"""Past results are listed newest first; what cannot be read is a row with its reason."""

import os
from pathlib import Path

import pytest

from commands import invoke_json
from insync.cli.app import invoke
from insync.errors import InputError
from insync.outcome import Outcome
from insync.past.results import Past, find_results, past_results
from insync.result import Result
from unit.past.past_folders import write_matrix, write_past


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    write_past(tmp_path / "older", scenario="kip-501", hours=1)
    write_past(tmp_path / "group" / "newer", scenario="kip-501", verdict="fail", hours=3)
    write_past(tmp_path / "another", scenario="freeze", kafka="4.4.0", verdict="unknown", hours=2)
    write_past(tmp_path / "raw", scenario="freeze", verdict=None, hours=4)
    write_past(tmp_path / "cut", scenario="freeze", verdict=None, hours=5, finished=False)
    write_matrix(tmp_path / "matrix", ["kip-501", "freeze"], stock={"acked": [1]})
    for name, text in (("newest-schema", '{"schema": 2}'), ("broken", "{")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text(text)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "file").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "_insync.json").touch()
    write_matrix(tmp_path / "fuzz" / "batches" / "0001", ["seed-1"], stock={"acked": [1]})
    (tmp_path / "fuzz" / "campaign.json").write_text(
        '{"campaign": "fuzz", "asked": {"Kafka": "4.3.1"}}'
    )
    seed = Result(of="seed-1", found="a record is lost", outcome=Outcome.FAIL)
    found = Result(of="seeds", children=(seed,))
    (tmp_path / "fuzz" / "verdict.json").write_text(found.as_json())
    os.utime(tmp_path / "fuzz" / "campaign.json", (1, 1))
    os.utime(tmp_path / "matrix" / "matrix-plan.json", (2, 2))
    for name in ("newest-schema", "broken"):
        os.utime(tmp_path / name, (0, 0))
    return tmp_path


def rows_of(parent: Path) -> dict[str, Past]:
    return {row.folder.name: row for row in past_results(find_results(parent))}


def test_results_are_listed_newest_first(parent: Path) -> None:
    assert list(rows_of(parent)) == [
        "cut", "raw", "newer", "another", "older", "matrix", "fuzz", "broken",
        "newest-schema",
    ]  # fmt: skip


def test_each_row_has_its_verdict_or_the_reason_why_there_is_none(parent: Path) -> None:
    rows = rows_of(parent)
    said = {name: (row.verdict, row.reason) for name, row in rows.items()}
    assert said["newer"] == ("fail", "it is a fail")
    assert said["matrix"] == ("pass", "2 of 2 cells are as expected")
    assert said["raw"] == (None, f"not analysed: insync report {parent / 'raw'}")
    assert said["cut"] == (None, "cut short, or still running")
    assert said["newest-schema"] == (None, "run.json: schema: Input should be 1")
    assert said["broken"][0] is None
    assert said["broken"][1].startswith("run.json: the file: Invalid JSON")
    assert said["fuzz"] == ("fail", "seed-1: a record is lost")
    assert rows["fuzz"].name == "fuzz"
    assert rows["matrix"].name == "matrix: kip-501, freeze"


def test_the_table_names_every_folder_and_reason(
    parent: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["runs", str(parent)]) == 0
    printed = capsys.readouterr()
    text = " ".join(printed.out.split())
    for row in past_results(find_results(parent)):
        assert row.folder.name in text
        assert (row.verdict or "no verdict") in text
    assert "9 results in" in text
    assert printed.err == ""


def test_a_run_folder_is_a_result_itself(parent: Path) -> None:
    assert find_results(parent / "older") == [parent / "older"]
    assert find_results(parent / "matrix") == [parent / "matrix"]
    with pytest.raises(InputError, match="no such folder"):
        find_results(parent / "nowhere")


def test_rows_are_json_with_every_field_of_a_row(
    parent: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = invoke_json(capsys, "runs", str(parent))
    assert [each["folder"] for each in found] == [
        str(row.folder) for row in past_results(find_results(parent))
    ]
    assert found[2].keys() == set(Past.__dataclass_fields__)
