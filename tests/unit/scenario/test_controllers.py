"""A scenario may have three controllers, or brokers that are controllers; faults must fit that."""

import struct
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from insync.brokers.cluster.plans import Controllers
from insync.brokers.cluster.quorum import metadata_log
from insync.brokers.kafka import wire
from insync.brokers.kafka.versions import pinned
from insync.errors import InputError, InsyncError
from insync.faults.cluster import FaultCluster
from insync.nodes import ACTIVE_CONTROLLER
from insync.run.arm_cluster import broker_settings, cluster_spec
from insync.run.requirements import require_controllers
from insync.scenario.load import parse, source
from insync.scenario.model import Scenario

QUORUM, COMBINED = "controllers = 3", "controllers = 3\ncombined = true"
AT_CONTROLLER = 'kind = "freeze"\nbroker = 100'
AT_ACTIVE = 'kind = "kill"\ntarget = "active controller"'
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
            "target: 'active controller', expected a broker, or one of the kinds freeze, kill",
        ),
        (QUORUM, LINK, "faults[0].kind: 'controller-link', expected another one where"),
        (COMBINED, LINK, "faults[0].kind: 'controller-link', expected another one where"),
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


def test_which_controller_is_active_is_asked_when_the_fault_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
    require_controllers(scenario(""), pinned("2.8.2"))
    require_controllers(scenario(COMBINED), pinned("3.6.2"))
    for keys, named in ((QUORUM, "controllers: 3"), (COMBINED, "combined: True")):
        with pytest.raises(InputError, match=rf"broker\.{named}, expected none: on ZooKeeper"):
            require_controllers(scenario(keys), pinned("2.8.2"))


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
