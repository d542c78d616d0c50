from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from insync.brokers.cluster import common
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec, NodePlan, Role
from insync.brokers.kafka import formats, warmup
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.versions import pinned


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
