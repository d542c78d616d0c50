"""The settings of a node's container, on a fake engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from insync.artifacts import LAB_JAR
from insync.brokers.cluster import containers
from insync.brokers.cluster.containers import container_of, make_accessible
from insync.brokers.cluster.node import AgentSpec, NodeExtras, NodePlan
from insync.brokers.images.image import Image
from insync.brokers.kafka.distribution import LOG_CONFIG

IMAGE = Image("insync-kafka:4.3.1", Path("/jre/java"), (Path("/libs/a.jar"),), Path("/a.jsa"))


class FakeTestcontainer:
    """Records the settings that Testcontainers' container accepts."""

    def __init__(self, image: str) -> None:
        self.image = f"mirror/{image}"
        self.ports: dict[str, Any] = {}
        self.volumes: dict[str, str] = {}
        self.asked: dict[str, Any] = {}

    def with_volume_mapping(self, host: Path, inside: str, mode: str) -> None:
        assert str(host) == inside
        self.volumes[inside] = mode

    def with_envs(self, **variables: str) -> None:
        self.asked["env"] = variables

    def with_kwargs(self, **more: Any) -> FakeTestcontainer:
        self.asked |= more
        return self

    def __getattr__(self, name: str) -> Any:
        def take(value: Any) -> FakeTestcontainer:
            self.asked[name.removeprefix("with_")] = value
            return self

        return take


@pytest.fixture
def plan(tmp_path: Path) -> NodePlan:
    folder = tmp_path / "nodes" / "2"
    folder.mkdir(parents=True)
    own = NodeExtras(
        environment={"LD_PRELOAD": "/s.so"}, files=[Path("/s.so")], shared=[tmp_path / "control"]
    )
    return NodePlan(2, "broker", folder, 20_002, {}, flags=["-Dx=y"], extras=own)


def made(
    plan: NodePlan, monkeypatch: pytest.MonkeyPatch, agent: AgentSpec | None = None
) -> FakeTestcontainer:
    monkeypatch.setattr(containers, "DockerContainer", FakeTestcontainer)
    network: Any = "network"
    container: Any = container_of(
        plan, cluster="abc", network=network, image=IMAGE, memory_mib=256, agent=agent
    )
    assert isinstance(container, FakeTestcontainer)
    return container


def test_a_container_has_its_folder_and_volumes_at_the_hosts_paths(
    plan: NodePlan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    agent = AgentSpec(tmp_path / "agent.jar", tmp_path / "events", tmp_path / "bridge")
    assert made(plan, monkeypatch, agent).volumes == {
        str(LOG_CONFIG): "ro",
        "/s.so": "ro",
        str(tmp_path / "agent.jar"): "ro",
        str(LAB_JAR): "ro",
        str(plan.folder): "rw",
        str(tmp_path / "control"): "rw",
        str(tmp_path / "events"): "rw",
        str(tmp_path / "bridge"): "rw",
    }


def test_a_bridge_listens_in_the_containers_network(
    plan: NodePlan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    agent = AgentSpec(tmp_path / "agent.jar", tmp_path, tmp_path)
    container = made(plan, monkeypatch, agent)
    assert container.image == "insync-kafka:4.3.1", "not a mirror's"
    command = container.asked["command"]
    assert "-Dinsync.bridge.address=node-2" in command
    assert "-Dinsync.bridge.unencrypted=true" in command


@pytest.mark.parametrize(
    ("own", "inside"), [((0, 0), "1000:1000"), ((1234, 99), "1234:99")], ids=["root", "a user"]
)
def test_a_container_never_runs_as_root(
    own: tuple[int, int],
    inside: str,
    plan: NodePlan,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    given: list[tuple[Path, int, int]] = []
    monkeypatch.setattr("os.getuid", lambda: own[0])
    monkeypatch.setattr("os.getgid", lambda: own[1])
    monkeypatch.setattr("os.chown", lambda *what: given.append(what))
    assert made(plan, monkeypatch).asked["user"] == inside
    (plan.folder / "data").mkdir()
    make_accessible(plan, None)
    expected = [plan.folder, tmp_path / "control", plan.folder / "data"] if own[0] == 0 else []
    assert given == [(path, 1000, 1000) for path in expected]
