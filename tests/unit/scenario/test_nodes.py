"""Nodes of a scenario: three controllers, brokers that are controllers, several log directories."""

import struct
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from insync.brokers.cluster import replica_logs
from insync.brokers.cluster.addresses import Addresses
from insync.brokers.cluster.common import Controllers, on_kraft
from insync.brokers.cluster.node import Node, remove_data
from insync.brokers.cluster.quorum import metadata_log
from insync.brokers.kafka import wire
from insync.brokers.kafka.versions import pinned
from insync.errors import InputError, InsyncError
from insync.faults.cluster import FaultCluster
from insync.nodes import ACTIVE_CONTROLLER
from insync.run.arm_cluster import broker_settings, cluster_spec
from insync.run.requirements import require_version
from insync.scenario.load import parse, source
from insync.scenario.model import Scenario

QUORUM, COMBINED = "controllers = 3", "controllers = 3\ncombined = true"
AT_CONTROLLER = 'kind = "freeze"\nbroker = 100'
AT_ACTIVE = 'kind = "kill"\ntarget = "active controller"'
BETWEEN = 'kind = "quorum-link"\nbroker = 100\nmode = "cut"'
LINK = 'kind = "controller-link"\nbroker = 1\nmode = "cut"'


def scenario(keys: str, fault: str = 'kind = "freeze"\nbroker = 2') -> Scenario:
    text = source("kip-501").partition("[[faults]]")[0].replace("[broker]", f"[broker]\n{keys}")
    return parse(f"{text}[[faults]]\n{fault}\nat_ms = 3_000\nfor_ms = 1_000\n", "mine.toml")


def test_a_scenario_has_one_controller_unless_it_says_otherwise() -> None:
    found = {
        keys: cluster_spec(scenario(keys), "stock").controllers for keys in ("", QUORUM, COMBINED)
    }
    assert found[""] == Controllers() == Controllers(1, combined=False)
    assert found[QUORUM] == Controllers(3)
    assert found[COMBINED] == Controllers(3, combined=True)
    assert [[*each.ids] for each in found.values()] == [[100], [100, 101, 102], [1, 2, 3]]


def test_they_are_no_settings_of_nodes() -> None:
    for keys in (QUORUM, COMBINED):
        assert broker_settings(scenario(keys), "stock") == broker_settings(scenario(""), "stock")


@pytest.mark.parametrize(
    ("keys", "fault", "problem"),
    [
        ("controllers = 2", "", "broker.controllers: 2, expected 1 or 3"),
        (COMBINED, AT_CONTROLLER, "faults[0].broker: 100, expected a broker, because broker.comb"),
        (COMBINED, AT_ACTIVE, "faults[0].broker: 199, expected a broker, because broker.combined"),
        (
            QUORUM, AT_ACTIVE.replace("kill", "cpu-neighbour"),
            "target: 'active controller', expected a broker, or one of the kinds answer, freez",
        ),
        (COMBINED, LINK, "faults[0].kind: 'controller-link', expected another one where"),
        (COMBINED, BETWEEN, "faults[0].broker: 100, expected a broker, because broker.combined"),
        ("", BETWEEN, "faults[0].kind: 'quorum-link', expected another one where broker.contro"),
        (QUORUM, BETWEEN.replace("broker = 100", "broker = 1"), "broker: 1, expected target"),
        (QUORUM, f"{BETWEEN}\nothers = 3", "others: 3, expected at most 2"),
        (
            f"{COMBINED}\ncontroller_agent = false", "",
            "controller_agent: False, expected true where combined is true",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(keys: str, fault: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        scenario(keys, *([fault] if fault else []))
    assert problem in str(error.value)


def test_a_fault_at_the_controller_is_at_the_first_of_three_or_at_the_active_one() -> None:
    assert scenario(QUORUM, AT_CONTROLLER).faults[0].broker == 100
    assert scenario(QUORUM, AT_ACTIVE).faults[0].broker == ACTIVE_CONTROLLER


def test_the_active_controller_is_asked_for_at_the_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one does not answer, the second one does not know it yet, the third one does."""
    one = b"\2\x13__cluster_metadata\2" + bytes(4)
    said = {2: one + struct.pack(">hi", 0, -1), 3: one + struct.pack(">hi", 0, 102)}
    asked: list[int] = []

    def connect(port: int, _: float) -> Any:
        asked.append(port)
        if port == 1:
            raise ConnectionRefusedError
        return nullcontext(port)

    monkeypatch.setattr(wire, "connect", connect)
    monkeypatch.setattr(wire, "exchange", lambda port, _: struct.pack(">ixh", 1, 0) + said[port])
    nodes = [SimpleNamespace(port=port) for port in (1, 2, 3)]
    cluster: Any = SimpleNamespace(controllers=nodes)
    running = FaultCluster(kafka=cluster, cluster=cluster, controls={}, home=Path())
    assert running.active_controller() == 102
    assert asked == [1, 2, 3]
    del nodes[2]
    with pytest.raises(InsyncError, match="no active controller: none of 2 knows one"):
        running.active_controller()
    del nodes[1]
    assert running.active_controller() == 100, "the only one"


def test_on_zookeeper_there_is_one_controller() -> None:
    require_version(scenario(""), pinned("2.8.2"))
    require_version(scenario(COMBINED), pinned("3.6.2"))
    for keys, named in ((QUORUM, "controllers: 3"), (COMBINED, "combined: True")):
        with pytest.raises(InputError, match=rf"broker\.{named}, expected none: on ZooKeeper"):
            require_version(scenario(keys), pinned("2.8.2"))


def test_the_log_of_a_quorum_is_that_of_the_controller_that_has_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = []
    for number, size in ((100, 40), (101, 90), (102, 80)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "00.log").write_bytes(bytes(size - 10))
        (folder / "50.log").write_bytes(bytes(10))
        (folder / "50.index").write_bytes(bytes(1_000 - size))
        nodes.append(SimpleNamespace(metadata_log=folder))
    read: list[str] = []
    monkeypatch.setattr(
        metadata_log.replica_logs, "lines", lambda _, __, folder: read.append(folder) or []
    )
    cluster, dist = SimpleNamespace(controllers=nodes), SimpleNamespace(release=pinned("4.3.1"))
    assert [*metadata_log.isr_events(cast("Any", cluster), cast("Any", dist), "stock")] == []
    assert read == [str(tmp_path / "101")]


TWO = "log_dirs = 2"
DISK = 'kind = "disk-stall"\nmode = "delay"\ndelay_ms = 100\nbroker = 1'


def test_each_node_has_them_in_its_own_folder(tmp_path: Path) -> None:
    settings = broker_settings(scenario(TWO, DISK), "stock")
    dirs = {plan.id: plan.settings["log.dirs"].split(",")
            for plan in on_kraft(tmp_path, [1, 2], settings, Addresses())}  # fmt: skip
    for node in (1, 2):
        assert dirs[node] == [f"{tmp_path}/{node}/data", f"{tmp_path}/{node}/data-2"]


def test_there_is_one_unless_the_scenario_says_otherwise(tmp_path: Path) -> None:
    settings = broker_settings(scenario("", DISK), "stock")
    assert "log.dirs" not in settings
    for plan in on_kraft(tmp_path, [1], settings, Addresses()):
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
        'kind = "stall"\nsite = "write"\nmode = "hold"\nbroker = 1\npartitions = [0]',
        'kind = "queue-stall"\nbroker = 1',
        'kind = "read-error"\nbroker = 1\npartitions = [0]',
        'kind = "disk-full"\nbroker = 1',
    ],
)
def test_a_fault_that_knows_all_of_them_or_needs_only_the_first_is_taken(fault: str) -> None:
    assert scenario(TWO, fault).faults


@pytest.mark.parametrize(
    "fault",
    [
        'kind = "disk-throttle"\nbroker = 1\nwrite_bytes_per_s = 9_000',
        'kind = "power-failure"\nbroker = 1',
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
        scenario("log_dirs = 0", DISK)
