"""Brokers of a scenario may have several log directories, of which a fault breaks the first one."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from insync.brokers.cluster import replica_logs
from insync.brokers.cluster.addresses import OnLoopback
from insync.brokers.cluster.node import Node, remove_data
from insync.brokers.cluster.plans import on_kraft
from insync.errors import InputError
from insync.run.arm_cluster import broker_settings
from insync.scenario.load import parse, source
from insync.scenario.model import Scenario

TWO = "log_dirs = 2"
DISK = 'kind = "disk-stall"\nmode = "delay"\ndelay_ms = 100\nbroker = 1\nfor_ms = 1_000'


def scenario(keys: str, fault: str = DISK) -> Scenario:
    text = source("kip-501").partition("[[faults]]")[0].replace("[broker]", f"[broker]\n{keys}")
    return parse(f"{text}[[faults]]\n{fault}\nat_ms = 3_000\n", "mine.toml")


def test_each_node_has_them_in_its_own_folder(tmp_path: Path) -> None:
    settings = broker_settings(scenario(TWO), "stock")
    dirs = {plan.id: plan.settings["log.dirs"].split(",")
            for plan in on_kraft(tmp_path, [1, 2], settings, OnLoopback())}  # fmt: skip
    for node in (1, 2):
        assert dirs[node] == [f"{tmp_path}/{node}/data", f"{tmp_path}/{node}/data-2"]


def test_there_is_one_unless_the_scenario_says_otherwise(tmp_path: Path) -> None:
    settings = broker_settings(scenario(""), "stock")
    assert "log.dirs" not in settings
    for plan in on_kraft(tmp_path, [1], settings, OnLoopback()):
        assert plan.settings["log.dirs"] == f"{tmp_path}/{plan.id}/data"


def test_the_logs_in_all_of_them_are_read_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("data", "data-2", "metadata"):
        (tmp_path / name / "t-0").mkdir(parents=True)
    (tmp_path / "data-2.log").touch()
    read: list[str] = []
    monkeypatch.setattr(
        replica_logs, "lines", lambda _, __, ___, *folders: read.extend(folders) or []
    )
    node = Node(id=1, role="broker", folder=tmp_path, port=1, process=cast("Any", None))
    cluster, dist = SimpleNamespace(nodes={1: node}), cast("Any", None)
    assert [*replica_logs.batches(cast("Any", cluster), dist, ["t"])] == []
    assert read == [f"1={tmp_path / 'data'}", f"1={tmp_path / 'data-2'}"]
    remove_data(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["data-2.log"]


@pytest.mark.parametrize(
    "fault",
    [
        'kind = "stall"\nsite = "write"\nmode = "hold"\nbroker = 1\npartitions = [0]\nfor_ms = 9',
        'kind = "queue-stall"\nbroker = 1\nfor_ms = 1_000',
        'kind = "read-error"\nbroker = 1\npartitions = [0]\nfor_ms = 1_000',
        'kind = "disk-full"\nbroker = 1\nfor_ms = 1_000',
    ],
)
def test_a_fault_that_knows_all_of_them_or_needs_only_the_first_is_taken(fault: str) -> None:
    assert scenario(TWO, fault).faults


@pytest.mark.parametrize(
    "fault",
    [
        'kind = "disk-throttle"\nbroker = 1\nwrite_bytes_per_s = 9_000\nfor_ms = 1_000',
        'kind = "power-failure"\nbroker = 1\nfor_ms = 1_000',
    ],
)
def test_a_fault_that_knows_the_first_one_only_is_refused(fault: str) -> None:
    scenario("", fault)
    with pytest.raises(InputError) as error:
        scenario(TWO, fault)
    expected = "expected another one where broker.log_dirs is more than 1"
    assert f"faults[0].kind: '{fault.split(chr(34))[1]}', {expected}" in str(error.value)


def test_their_number_is_bounded() -> None:
    with pytest.raises(InputError, match=r"broker\.log_dirs: 0"):
        scenario("log_dirs = 0")
