"""The ids and names of nodes, the settings and folders of each, and which of them get the agent."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from insync.brokers.cluster import common, properties
from insync.brokers.cluster.addresses import Addresses
from insync.brokers.cluster.common import Controllers, NodeCluster, on_kraft
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec, NodePlan, Role, prepare
from insync.brokers.kafka import formats, warmup
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.versions import pinned
from insync.errors import InputError

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


def test_brokers_may_be_the_controllers() -> None:
    first, second = on_kraft(HOME, [1, 2], {}, Addresses(), Controllers(combined=True))
    address = first.settings["controller.quorum.voters"].removeprefix("1@")
    assert first.settings["process.roles"] == "broker,controller"
    assert first.settings["listeners"].endswith(f",CONTROLLER://{address}")
    assert second.settings["process.roles"] == "broker"
    assert (first.role, second.role) == ("broker", "broker")


def test_a_node_that_is_a_controller_as_well_has_the_records_of_a_new_controller(
    tmp_path: Path,
) -> None:
    """StorageTool of 4.4 writes the features of a cluster to its controllers only."""
    for role in formats.ROLES:
        for part in (formats.DATA, formats.METADATA):
            (tmp_path / role / part).mkdir(parents=True)
            (tmp_path / role / part / "meta.properties").touch()
    (tmp_path / "controller" / formats.METADATA / "features").touch()
    plans = on_kraft(tmp_path, [1, 2], {}, Addresses(), Controllers(combined=True))
    for plan in plans:
        prepare(plan, tmp_path, "a-new-cluster")
    found = [(each.folder / formats.METADATA / "features").exists() for each in plans]
    assert found == [True, False]


def test_controllers_have_the_same_ids_in_every_cluster() -> None:
    for brokers, ids in (([1], [100]), ([1, 2], [100, 101, 102])):
        planned = on_kraft(HOME, brokers, {}, Addresses(), Controllers(count=len(ids)))
        assert [plan.id for plan in planned] == [*ids, *brokers]
        assert {plan.role for plan in planned[: len(ids)]} == {"controller"}
        quick = "controller.quorum.election.timeout.ms" in planned[0].settings
        assert quick == (len(ids) == 1)


def cluster(folder: Path, kafka: str = "4.3.1", *, elr: bool = True, **agent: Any) -> NodeCluster:
    spec = AgentSpec(folder / "agent.jar", folder / "events", folder / "bridge", **agent)
    dist = SimpleNamespace(release=pinned(kafka), formats=folder / "warm" / "formats")
    return LocalCluster(cast("Any", dist), folder / "nodes", agent=spec, elr=elr)


def nodes_with_agent(made: NodeCluster, folder: Path) -> list[Role]:
    roles: tuple[Role, ...] = ("zookeeper", "controller", "broker")
    plans = (NodePlan(7, role, folder, 7, {}) for role in roles)
    return [plan.role for plan in plans if made._equipped(plan).flags]


@pytest.mark.parametrize(
    ("kafka", "options", "roles"),
    [
        ("4.3.1", {}, ["controller", "broker"]),
        ("4.3.1", {"on_controller": False}, ["broker"]),
        ("2.8.2", {}, ["broker"]),
        ("4.3.1", {"nodes": [8]}, []),
        ("4.3.1", {"nodes": [7, 8]}, ["controller", "broker"]),
    ],
)
def test_brokers_and_controllers_get_the_agent_if_they_are_named_and_not_on_zookeeper(
    tmp_path: Path, kafka: str, options: dict[str, Any], roles: list[str]
) -> None:
    assert nodes_with_agent(cluster(tmp_path, kafka, **options), tmp_path) == roles


def test_a_cluster_without_eligible_replicas_is_formatted_from_its_own_templates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "without_elr", lambda dist: dist.formats.with_name("without"))
    warm = tmp_path / "warm"
    assert cluster(tmp_path)._templates() == warm / "formats"
    assert cluster(tmp_path, elr=False)._templates() == warm / "without"
    assert cluster(tmp_path, "2.8.2", elr=False)._templates() is None


def test_its_templates_are_made_once_with_the_feature_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    def make(cold: Distribution, scratch: Path, words: tuple[str, ...]) -> None:
        assert scratch.is_dir()
        (cold.formats / "broker").mkdir()
        asked.append(words)

    monkeypatch.setattr(formats, "make_templates", make)
    made = Distribution(pinned("4.3.1"), cast("Any", None), (), tmp_path / "warm" / "formats", None)
    first = warmup.without_elr(made)
    assert (first / "broker").is_dir()
    assert warmup.without_elr(made) == first != made.formats
    assert asked == [("--feature", "eligible.leader.replicas.version=0")]


META = """#
#Sat Nov 21 11:28:12 UTC 2026
node.id=1
directory.id=M6EGEt8y5n3jbitW3xNIzQ
version=1
cluster.id=MkU3OEVBNTcwNTJENDM2Qg
"""


def values(meta: Path) -> dict[str, str]:
    lines = (line for line in meta.read_text().splitlines() if not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines)


def test_a_copy_has_its_own_ids_and_the_rest_of_the_template(tmp_path: Path) -> None:
    for part in ("data", "metadata"):
        (tmp_path / "template" / part).mkdir(parents=True)
        (tmp_path / "template" / part / "meta.properties").write_text(META)
    (tmp_path / "template" / "metadata" / "bootstrap.checkpoint").write_bytes(b"features")
    (tmp_path / "template" / "metadata" / "log").mkdir()
    (tmp_path / "template" / "metadata" / "log" / "0.log").write_bytes(b"records")
    (tmp_path / "node" / "data").mkdir(parents=True)
    formats.copy(tmp_path / "template", tmp_path / "node", node=3, cluster="a-new-cluster")
    data = values(tmp_path / "node" / "data" / "meta.properties")
    metadata = values(tmp_path / "node" / "metadata" / "meta.properties")
    assert data == {**metadata, "directory.id": data["directory.id"]}
    assert (data["node.id"], data["version"]) == ("3", "1")
    assert data["cluster.id"] == "a-new-cluster"
    template = "M6EGEt8y5n3jbitW3xNIzQ"
    assert len({data["directory.id"], metadata["directory.id"], template}) == 3
    assert (tmp_path / "node" / "metadata" / "bootstrap.checkpoint").read_bytes() == b"features"
    assert (tmp_path / "node" / "metadata" / "log" / "0.log").read_bytes() == b"records"


def test_ids_have_kafkas_format() -> None:
    ids = {formats.new_id() for _ in range(200)}
    assert len(ids) == 200
    assert all(re.fullmatch("[A-Za-z0-9_][A-Za-z0-9_-]{21}", made) for made in ids)
