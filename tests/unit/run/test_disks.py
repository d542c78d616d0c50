"""Mounts what the planned disk faults need under brokers' log folders, and unmounts it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fault_runs import fault_tables
from insync.brokers.cluster.node import NodeExtras
from insync.errors import InputError, InsyncError
from insync.run import arm_cluster
from insync.run.arm_cluster import open_disks, with_disk_settings
from insync.scenario.load import parse, source
from insync.scenario.model import Scenario

STALL = {"kind": "disk-stall", "mode": "hold"}


def scenario(*faults: dict[str, Any]) -> Scenario:
    head = source("disk-stall").partition("[[faults]]")[0]
    timed = (
        {"broker": 1, "for_ms": 100, "at_ms": 2_000 + number * 500, **fault}
        for number, fault in enumerate(faults)
    )
    return parse(f"{head}\n{fault_tables(timed)}", "test")


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    calls: list[str] = []

    def mount(folder: Path, control: Path, rules: int, _: object, *, tracked: bool) -> Any:
        assert folder.is_dir()
        calls.append(f"gate {folder.parent.name} {control.name} {rules}" + " tracked" * tracked)
        return SimpleNamespace(control=control, unmount=lambda: calls.append("gate gone"))

    def make(folder: Path, _: Path) -> Any:
        assert folder.is_dir()
        calls.append(f"volume {folder.parent.name}" + " metadata" * (folder.name == "metadata"))
        if folder.parent.name == "3":
            raise InsyncError("no volume")
        return SimpleNamespace(
            remove=lambda: calls.append("volume removed"),
            unmount=lambda: calls.append("volume unmounted"),
        )

    monkeypatch.setattr(arm_cluster, "Passthrough", SimpleNamespace(mount=mount))
    monkeypatch.setattr(arm_cluster, "Volume", SimpleNamespace(make=make))
    return calls


def test_brokers_get_the_mounts_their_faults_need_and_lose_them_in_reverse_order(
    tmp_path: Path, done: list[str]
) -> None:
    one = scenario(STALL, {"kind": "disk-full", "broker": 2})
    two = scenario({**STALL, "operations": ["read"]}, {**STALL, "broker": 3})
    with open_disks([one, two], tmp_path, keep=False) as made:
        assert set(made.gates) == {1, 3}
        assert set(made.volumes) == {2}
        assert done == ["gate 1 disk-1.control 4", "gate 3 disk-3.control 3", "volume 2"]
        done.clear()
    assert done == ["volume removed", "gate gone", "gate gone"]


def test_data_on_the_mounts_is_kept_on_request(tmp_path: Path, done: list[str]) -> None:
    with open_disks([scenario({"kind": "disk-read-only"})], tmp_path, keep=True):
        pass
    assert done == ["volume 1", "volume unmounted"]


def test_the_controllers_volume_is_under_its_metadata_log_except_on_zookeeper(
    tmp_path: Path, done: list[str]
) -> None:
    plans = [scenario({"kind": "disk-full", "broker": 100})]
    with open_disks(plans, tmp_path, keep=False):
        pass
    with open_disks(plans, tmp_path, keep=False, zookeeper=True):
        pass
    assert done == ["volume 100 metadata", "volume removed", "volume 100", "volume removed"]


def test_a_broker_whose_power_fails_is_tracked_as_a_whole(tmp_path: Path, done: list[str]) -> None:
    plans = [scenario({"kind": "power-failure"}, {**STALL, "broker": 2})]
    with open_disks(plans, tmp_path, keep=False) as made:
        assert set(made.gates) == {1, 2}
        assert set(made.tracked) == {1}
    assert done[:3] == [
        "gate 1 disk-1.control 1 tracked",
        "gate 1 metadata-disk-1.control 1 tracked",
        "gate 2 disk-2.control 3",
    ]


def test_if_one_mount_fails_the_earlier_ones_are_removed(tmp_path: Path, done: list[str]) -> None:
    plans = [scenario(STALL, {"kind": "disk-full", "broker": 3})]
    with pytest.raises(InsyncError, match="no volume"):
        open_disks(plans, tmp_path, keep=False).__enter__()
    assert done == ["gate 1 disk-1.control 3", "volume 3", "gate gone"]


def test_scenarios_of_different_disks_share_no_cluster(tmp_path: Path, done: list[str]) -> None:
    plans = [scenario(STALL), scenario({"kind": "disk-full"})]
    with pytest.raises(
        InsyncError,
        match=r"^broker 1: scenarios on one cluster need different disks: a file system",
    ):
        open_disks(plans, tmp_path, keep=False).__enter__()
    assert done == []


def test_a_broker_behind_a_gate_indexes_every_batch_and_keeps_its_own_settings() -> None:
    own = {1: NodeExtras(environment={"A": "b"}, settings={"num.io.threads": "5"}), 2: NodeExtras()}
    made = with_disk_settings(own, [scenario(STALL, {"kind": "disk-full", "broker": 3})])
    assert set(made) == {1, 2}
    assert made[1].environment == {"A": "b"}
    assert made[1].settings == {"num.io.threads": "5", "log.index.interval.bytes": "0"}
    assert made[2] == own[2]


@pytest.mark.parametrize(
    ("faults", "problem"),
    [
        ([{"kind": "disk-throttle"}], "read_bytes_per_s: None, expected it or write_bytes"),
        ([{**STALL, "operations": ["send"]}], "operations[0]: 'send', expected 'read', 'write"),
        ([{**STALL, "operations": ["read", "read"]}], "expected each only once"),
        ([{**STALL, "mode": "delay"}], "delay_ms: 0, expected more than 0"),
        ([STALL, {"kind": "disk-full"}], "faults[1].kind: 'disk-full', expected another broker"),
        (
            [{"kind": "disk-full"}, {"kind": "kill", "at_ms": 2_050}],
            "when the same broker is frozen, killed or out of disk",
        ),
        (
            [
                {"kind": "disk-throttle", "read_bytes_per_s": 9},
                {"kind": "cpu-quota", "quota_percent": 5.0, "at_ms": 2_050},
            ],
            "faults[1].at_ms: 2050, expected outside of 2000 to 2100",
        ),
    ],
)
def test_impossible_plans_are_refused(faults: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(InputError) as refused:
        scenario(*faults)
    assert problem in str(refused.value)
