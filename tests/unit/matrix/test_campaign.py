"""A matrix's runs, their folders, and the input that is refused before any file is made."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from insync.engine import scenarios
from insync.engine.campaign import Options, campaign_folder, read_done, run_campaign
from insync.engine.worker import tasks_of
from insync.errors import InputError
from insync.events.matrix_info import load_matrix
from insync.events.verdict import write_cells
from insync.matrix.campaign import Matrix
from insync.matrix.groups import MatrixRequest
from insync.progress import Progress
from insync.run.plan import Plan
from insync.scenario.groups import groups
from insync.scenario.model import Scenario
from unit.built_files import stand_in
from unit.verdict.made_up import cell

MATRIX = groups()["sites"].scenarios


@pytest.fixture(autouse=True)
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        tmp_path,
        monkeypatch,
        "adapters=v8,v9\nv9.from=4.0\nv9.below=5\nv9.scopes=read,request\n"
        "v8.from=2.0\nv8.below=3\nv8.scopes=read\n",
    )

    def unavailable(scenario: Scenario, *_: object) -> str | None:
        return "no cgroup" if "cpu" in scenario.name else None

    monkeypatch.setattr(scenarios, "unavailable", unavailable)


def test_a_matrix_is_every_scenario_on_every_arm_that_a_version_has() -> None:
    found = Matrix(MatrixRequest(kafka=("4.3.1", "2.8.2"))).cells({})
    runs = dict.fromkeys((cell.kafka, cell.scenario.name) for cell in found)
    assert list(runs) == [(kafka, name) for kafka in ("4.3.1", "2.8.2") for name in MATRIX]
    arms = {kafka: {cell.arm for cell in found if cell.kafka == kafka} for kafka, _ in runs}
    assert arms["4.3.1"] == {"stock", "off", "read", "request"}
    assert arms["2.8.2"] == {"stock", "off", "read"}
    assert found[0].out == Path("4.3.1") / MATRIX[0]


def test_a_scenario_that_cannot_run_here_has_a_row_and_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = []

    def record(folders: Mapping[Path, Sequence[Plan]], *_: object) -> list[str]:
        recorded.extend(folders[tmp_path / "out"])
        return ["4.3.1 off: broker 1 did not start"]

    def analyse(folders: Sequence[Path], *_: object) -> None:
        cells = [
            cell(
                row.scenario,
                arm,
                kafka=row.kafka,
                outcome="skipped" if row.skipped else "pass",
                reason=row.skipped or "",
            )
            for row in load_matrix(folders[0]).rows
            for arm in row.arms
        ]
        write_cells(folders[0], cells)

    monkeypatch.setattr(scenarios, "record", record)
    monkeypatch.setattr(scenarios, "analyse_matrices", analyse)
    matrix = Matrix(MatrixRequest(only=("cpu-starved", "freeze"), repeats=3))
    options = Options(out=tmp_path / "out", command="insync matrix --repeat 3")
    found = run_campaign(matrix, options, Progress(), campaign_folder(matrix, options))
    assert found.outcome == "pass"
    info = load_matrix(tmp_path / "out")
    assert {row.scenario: row.skipped for row in info.rows} == {
        "freeze": None,
        "cpu-starved": "no cgroup",
    }
    assert {run.scenario.name: run.skip for run in recorded} == {
        "freeze": None, "cpu-starved": "no cgroup",
    }  # fmt: skip
    assert info.command == "insync matrix --repeat 3"
    done = read_done(tmp_path / "out")
    assert done["4.3.1/freeze/off"]["failure"] == "4.3.1 off: broker 1 did not start"
    assert done["4.3.1/freeze/off"]["report"] == "4.3.1/freeze/report.html"
    assert done["4.3.1/freeze/stock"]["failure"] is None


def test_each_arm_of_each_version_is_a_task_with_the_scenarios_in_order(tmp_path: Path) -> None:
    request = MatrixRequest(
        kafka=("4.3.1", "2.8.2"), only=("freeze", "read-stall"), arms=("stock", "read"), repeats=3
    )
    cells = Matrix(request).cells({})
    tasks = tasks_of(cells, tmp_path)
    assert [task.name for task in tasks] == [
        f"{kafka} {arm}" for kafka in ("4.3.1", "2.8.2") for arm in ("stock", "read")
    ]
    names = [name for name in MATRIX if name in ("freeze", "read-stall")]
    assert [cell.scenario.name for cell in tasks[0].cells] == names
    assert {cell.scenario.repeats for cell in tasks[0].cells} == {3}
    assert tasks[0].home == tmp_path / "4.3.1" / "nodes" / "stock"


def test_the_clients_are_those_of_all_runs_but_races() -> None:
    request = MatrixRequest(
        only=("freeze", "kafka-7104"), arms=("stock",), client="both", default_timeouts=True
    )
    cells = Matrix(request).cells({})
    clients = {cell.scenario.name: cell.scenario.workload.client for cell in cells}
    assert clients["freeze"] == "both"
    assert {clients[name] for name in clients if name != "freeze"} == {"librdkafka"}
    assert len(clients) > 1
    assert all(cell.default_timeouts for cell in cells)


def test_a_matrix_is_resumed_with_the_same_options_and_agent(tmp_path: Path) -> None:
    asked = Matrix(MatrixRequest(only=("freeze",))).asked()
    assert asked["only"] == ("freeze",)
    assert asked["agent"] is not None
    assert Matrix(MatrixRequest(only=("freeze",), arms=("stock",))).asked()["agent"] is None
    assert Matrix(MatrixRequest(only=("freeze",), at_once=7)).asked() == asked


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        (MatrixRequest(only=("nonsense",)), "--only nonsense: expected one of read-stall, "),
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
        campaign_folder(Matrix(request_), Options())
    assert "\n" not in str(caught.value)
    assert list(Path.cwd().iterdir()) == []
