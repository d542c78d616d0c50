"""The data of brokers is removed where all is as expected, and kept where it may explain more."""

from pathlib import Path

import pytest

from insync.cli.results import clusters_of, clusters_of_matrix, prune_data
from insync.events.run_info import RunInfo
from unit.run_folder import Story, run_json
from unit.verdict.made_up import verdict

ARMS = ("stock", "plugin")


def run(keep: bool) -> RunInfo:
    return RunInfo.model_validate({**run_json(Story(arms=ARMS)), "keep_data": keep})


def with_data(home: Path) -> Path:
    """Make the folder of a cluster, with the data and the log of a broker and of the controller."""
    for node in ("1", "100"):
        (home / node / "data" / "t-0").mkdir(parents=True)
        (home / node / "metadata").mkdir()
        (home / node / "stdout.log").touch()
    return home


@pytest.fixture
def homes(tmp_path: Path) -> dict[str, Path]:
    return {arm: with_data(tmp_path / "nodes" / arm) for arm in ARMS}


def test_only_the_data_of_arms_with_a_finding_stays(tmp_path: Path, homes: dict[str, Path]) -> None:
    clusters = clusters_of(tmp_path, run(keep=False), ["plugin"])
    assert prune_data(clusters) == [homes["plugin"]]
    assert not (homes["stock"] / "1" / "data").exists()
    assert (homes["stock"] / "1" / "stdout.log").exists()
    assert (homes["plugin"] / "100" / "data" / "t-0").exists()


def test_data_that_is_to_be_kept_stays(tmp_path: Path, homes: dict[str, Path]) -> None:
    assert prune_data(clusters_of(tmp_path, run(keep=True), [])) == list(homes.values())


def test_a_matrix_keeps_every_cluster_of_an_arm_with_a_finding(tmp_path: Path) -> None:
    nodes = tmp_path / "4.3.1" / "nodes"
    homes = [with_data(nodes / name) for name in ("stock", "stock-2", "plugin", "plugin-2")]
    runs = [run(keep=False)]
    needed = clusters_of_matrix(tmp_path, runs, [("4.3.1", "plugin")])
    assert prune_data(needed) == homes[2:]
    assert prune_data(clusters_of_matrix(tmp_path, runs, [])) == []


def judged(*findings: tuple[str | None, str]) -> list[str]:
    found = [{"arm": arm, "expected": "x", "outcome": outcome} for arm, outcome in findings]
    return verdict(findings=found, arms={arm: {} for arm in ARMS}).explained_by_data


def test_the_data_of_an_arm_explains_its_own_findings_and_those_of_the_run() -> None:
    assert judged(("stock", "pass"), ("plugin", "observed")) == []
    assert judged(("stock", "unknown"), ("plugin", "pass")) == ["stock"]
    assert judged((None, "unknown"), ("plugin", "pass")) == list(ARMS)
