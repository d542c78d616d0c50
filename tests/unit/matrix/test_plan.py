"""A matrix's runs, their folders, and the input that is refused before any file is made."""

from pathlib import Path

import pytest

from insync.engine.task import tasks_of
from insync.errors import InputError
from insync.matrix.plan import MatrixRequest, prepare_matrix
from insync.progress import Progress
from insync.run import plan
from insync.scenario.groups import groups
from unit.built_files import stand_in

MATRIX = groups()["sites"].scenarios


@pytest.fixture(autouse=True)
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Patch the harness: everything is built for two ranges of versions; there are no cgroups."""
    stand_in(
        tmp_path,
        monkeypatch,
        "adapters=v8,v9\nv9.from=4.0\nv9.below=5\nv9.scopes=read,request\n"
        "v8.from=2.0\nv8.below=3\nv8.scopes=read\n",
    )
    monkeypatch.setattr(
        plan, "unavailable", lambda scenario, *_: "no cgroup" if "cpu" in scenario.name else None
    )


def test_a_matrix_is_every_scenario_on_every_arm_that_a_version_has(tmp_path: Path) -> None:
    request = MatrixRequest(kafka=("4.3.1", "2.8.2"), out=tmp_path / "out")
    found, _ = prepare_matrix(request, Progress())
    names = [(row.kafka, row.scenario) for row in found.info.rows]
    assert names == [(kafka, name) for kafka in ("4.3.1", "2.8.2") for name in MATRIX]
    arms = {row.kafka: row.arms for row in found.info.rows}
    assert arms["4.3.1"] == ("stock", "off", "read", "request")
    assert arms["2.8.2"] == ("stock", "off", "read")
    assert found.info.rows[0].folder == f"4.3.1/{MATRIX[0]}"
    assert not (tmp_path / "out").exists()


def test_a_scenario_that_cannot_run_here_has_a_row_and_no_run(tmp_path: Path) -> None:
    request = MatrixRequest(only=("cpu-starved", "freeze"), out=tmp_path / "out")
    found, _ = prepare_matrix(request, Progress())
    assert {row.scenario: row.skipped for row in found.info.rows} == {
        "freeze": None,
        "cpu-starved": "no cgroup",
    }
    assert [run.scenario.name for run in found.runs] == ["freeze"]


def test_each_arm_of_each_version_is_a_task_with_the_scenarios_in_order(tmp_path: Path) -> None:
    request = MatrixRequest(
        kafka=("4.3.1", "2.8.2"), only=("freeze", "read-stall"), arms=("stock", "read"), repeats=3,
        out=tmp_path / "out",
    )  # fmt: skip
    found, _ = prepare_matrix(request, Progress())
    tasks = tasks_of((cell for run in found.runs for cell in run.cells), found.folder)
    assert [task.name for task in tasks] == [
        f"{kafka} {arm}" for kafka in ("4.3.1", "2.8.2") for arm in ("stock", "read")
    ]
    names = [name for name in MATRIX if name in ("freeze", "read-stall")]
    assert [cell.scenario.name for cell in tasks[0].cells] == names
    assert {cell.scenario.repeats for cell in tasks[0].cells} == {3}
    assert tasks[0].cells[0].out == found.folder / "4.3.1" / names[0]
    assert tasks[0].home == found.folder / "4.3.1" / "nodes" / "stock"


def test_the_clients_are_those_of_all_runs_but_races(tmp_path: Path) -> None:
    request = MatrixRequest(
        only=("freeze", "kafka-7104"), arms=("stock",), client="both", default_timeouts=True,
        out=tmp_path / "out",
    )  # fmt: skip
    found, _ = prepare_matrix(request, Progress())
    clients = {run.scenario.name: run.scenario.workload.client for run in found.runs}
    assert clients["freeze"] == "both"
    assert {clients[name] for name in clients if name != "freeze"} == {"librdkafka"}
    assert len(clients) > 1
    assert all(cell.default_timeouts for run in found.runs for cell in run.cells)


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        (MatrixRequest(only=("nonsense",)), "--only: 'nonsense', expected one of: read-stall, "),
        (MatrixRequest(only=("freeze", "freeze")), "--only: freeze,freeze, expected each only"),
        (MatrixRequest(kafka=("4.3.1", "4.3.1")), "--kafka: 4.3.1,4.3.1, expected each only once"),
        (MatrixRequest(arms=("stock", "nonsense")), r"arms\[1\]: 'nonsense', expected"),
        (
            MatrixRequest(kafka=("2.8.2",), arms=("request",)),
            "arms: request: Kafka 2.8.2 has only stock, off, read, raised-lag, time; the",
        ),
        (
            MatrixRequest(kafka=("1.1.0",), arms=("stock", "read")),
            "arms: read: Kafka 1.1.0 has only stock, raised-lag, time; the",
        ),
        (MatrixRequest(repeats=0), "repeats: 0, expected at least 1"),
        (MatrixRequest(at_once=0), "--side-by-side 0: expected at least 1"),
        (MatrixRequest(at_once=10_000), "--side-by-side 10000: expected at most 64"),
    ],
)
def test_bad_input_gives_one_line(request_: MatrixRequest, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        prepare_matrix(request_, Progress())
    assert "\n" not in str(caught.value)
    assert list(Path.cwd().iterdir()) == []


def test_an_output_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "file").touch()
    with pytest.raises(InputError, match="not empty"):
        prepare_matrix(MatrixRequest(out=tmp_path / "out"), Progress())
