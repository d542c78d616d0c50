"""The ids and names of nodes, and the server.properties of each kind of node."""

from dataclasses import replace
from pathlib import Path

import pytest

from insync.brokers.cluster import properties
from insync.brokers.cluster.addresses import Addresses
from insync.brokers.cluster.common import Controllers, on_kraft
from insync.brokers.cluster.node import AgentSpec
from insync.errors import InputError
from insync.nodes import CONTROLLER_ID

HOME = Path("/runs/nodes/2")
LISTENERS = Addresses().of_broker(2, 2002)
SESSION = "broker.session.timeout.ms"


@pytest.mark.parametrize(("settings", "timeout"), [({}, "13500"), ({SESSION: "3000"}, "4500")])
def test_zookeepers_session_timeout_is_krafts(settings: dict[str, str], timeout: str) -> None:
    made = properties.broker(2, HOME, "127.0.0.1:2100", LISTENERS, settings, zookeeper=True)
    assert made["zookeeper.session.timeout.ms"] == timeout


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("/plain", "/plain"),
        ("/läuft/日", "/l\\u00e4uft/\\u65e5"),
        ("/𝄞", "/\\ud834\\udd1e"),
        ("a\\b", "a\\\\b"),
        (" a", "\\ a"),
        ("two\nlines", "two\\u000alines"),
    ],
)
def test_java_reads_values_back_unchanged(value: str, written: str) -> None:
    assert properties.text({"log.dirs": value}) == f"log.dirs={written}\n"


def test_the_agents_cache_is_an_option_unless_its_path_has_a_comma() -> None:
    agent = AgentSpec(Path("/jars/agent.jar"), Path("/events"), Path("/bridges"))
    with_cache = replace(agent, cache=Path("/cache/woven"))
    assert with_cache.flag(2) == f"{agent.flag(2)},cache=/cache/woven"
    assert replace(agent, cache=Path("/cache,old/woven")).flag(2) == agent.flag(2)


def test_a_comma_in_an_agent_argument_is_refused() -> None:
    agent = AgentSpec(Path("/jars/agent.jar"), Path("/events,old"), Path("/bridges"))
    with pytest.raises(InputError, match=r"/events,old/broker-1\.jsonl has a comma"):
        agent.flag(1)


def test_the_controllers_of_a_cluster_know_each_other() -> None:
    planned = on_kraft(HOME, [1, 2], {}, Addresses(), Controllers(count=3))
    voters = {plan.settings["controller.quorum.voters"] for plan in planned}
    assert [plan.id for plan in planned] == [100, 101, 102, 1, 2]
    assert [each.partition("@")[0] for each in voters.pop().split(",")] == ["100", "101", "102"]
    assert not voters
    assert "controller.quorum.election.timeout.ms" not in planned[0].settings


def test_brokers_may_be_the_controllers() -> None:
    first, second = on_kraft(HOME, [1, 2], {}, Addresses(), Controllers(combined=True))
    address = first.settings["controller.quorum.voters"].removeprefix("1@")
    assert first.settings["process.roles"] == "broker,controller"
    assert first.settings["listeners"].endswith(f",CONTROLLER://{address}")
    assert second.settings["process.roles"] == "broker"
    assert (first.role, second.role) == ("broker", "broker")


def test_the_controller_has_the_same_id_in_every_cluster() -> None:
    for brokers in ([1], [1, 2]):
        first, *_ = on_kraft(Path("/runs/nodes"), brokers, {}, Addresses())
        assert (first.id, first.role) == (CONTROLLER_ID, "controller")
