"""The settings of a node's container, on a fake engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from insync.artifacts import LAB_JAR
from insync.brokers.cluster import containers
from insync.brokers.cluster.containers import container_of, make_accessible
from insync.brokers.cluster.node import AgentSpec, NodeExtras, NodePlan
from insync.brokers.images.image import Image
from insync.brokers.kafka.distribution import LOG_CONFIG

IMAGE = Image("insync-kafka:4.3.1", Path("/jre/java"), (Path("/libs/a.jar"),), Path("/a.jsa"))


@pytest.fixture
def plan(tmp_path: Path) -> NodePlan:
    folder = tmp_path / "nodes" / "2"
    folder.mkdir(parents=True)
    own = NodeExtras(
        environment={"LD_PRELOAD": "/s.so"}, files=[Path("/s.so")], shared=[tmp_path / "control"]
    )
    return NodePlan(2, "broker", folder, 20_002, {}, flags=["-Dx=y"], extras=own)


@pytest.fixture
def container(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Return the container that Testcontainers makes; it notes the settings that it is given."""
    made = Mock(ports={})
    made.with_kwargs.return_value = made
    monkeypatch.setattr(containers, "DockerContainer", lambda _: made)
    return made


def make(plan: NodePlan, agent: AgentSpec | None = None) -> None:
    network: Any = "network"
    container_of(plan, cluster="abc", network=network, image=IMAGE, memory_mib=256, agent=agent)


def test_a_container_has_its_folder_and_volumes_at_the_hosts_paths(
    plan: NodePlan, container: Mock, tmp_path: Path
) -> None:
    make(plan, AgentSpec(tmp_path / "agent.jar", tmp_path / "events", tmp_path / "bridge"))
    files = [LOG_CONFIG, Path("/s.so"), tmp_path / "agent.jar", LAB_JAR]
    folders = [plan.folder, *(tmp_path / name for name in ("control", "events", "bridge"))]
    given = [each.args for each in container.with_volume_mapping.call_args_list]
    volumes = [(path, "ro") for path in files] + [(path, "rw") for path in folders]
    assert given == [(path, str(path), mode) for path, mode in volumes]


def test_a_bridge_listens_in_the_containers_network(
    plan: NodePlan, container: Mock, tmp_path: Path
) -> None:
    make(plan, AgentSpec(tmp_path / "agent.jar", tmp_path, tmp_path))
    assert container.image == "insync-kafka:4.3.1", "not a mirror's"
    (command,) = container.with_command.call_args.args
    assert "-Dinsync.bridge.address=node-2" in command
    assert "-Dinsync.bridge.unencrypted=true" in command


@pytest.mark.parametrize(
    ("own", "inside"), [((0, 0), "1000:1000"), ((1234, 99), "1234:99")], ids=["root", "a user"]
)
def test_a_container_never_runs_as_root(
    own: tuple[int, int], inside: str, plan: NodePlan, container: Mock,
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    given: list[tuple[Path, int, int]] = []
    monkeypatch.setattr("os.getuid", lambda: own[0])
    monkeypatch.setattr("os.getgid", lambda: own[1])
    monkeypatch.setattr("os.chown", lambda *what: given.append(what))
    make(plan)
    assert container.with_kwargs.call_args.kwargs["user"] == inside
    (plan.folder / "data").mkdir()
    make_accessible(plan, None)
    expected = [plan.folder, tmp_path / "control", plan.folder / "data"] if own[0] == 0 else []
    assert given == [(path, 1000, 1000) for path in expected]
