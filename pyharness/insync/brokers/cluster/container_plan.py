"""Define a node's container from its plan; the container is started elsewhere."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from docker.types import LogConfig
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network

from insync.brokers.cluster.addresses import INSIDE, host_name
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.node import TEMPORARY, NodePlan
from insync.brokers.docker import leftovers
from insync.brokers.images.image import Image
from insync.brokers.kafka.jvm import LOG_CONFIG, node_flags
from insync.brokers.kafka.ports import LOOPBACK

_ROOT: Final = 0
_USER: Final = 1000  # the image's user kafka
_PERIOD_US: Final = 100_000
_MIB: Final = 1 << 20
# Set explicitly, because the engine's default may be a log driver that cannot be read.
_READABLE_LOG: Final = LogConfig(type=LogConfig.types.JSON)
# A restarted container may have another address, so names must be resolved each time.
_FORGET_ADDRESSES: Final = ("-Dsun.net.inetaddr.ttl=0", "-Dsun.net.inetaddr.negative.ttl=0")


@dataclass(frozen=True)
class Limits:
    """What one container may use; `cpus` are cores, None for all."""

    memory_mib: int = 512
    cpus: float | None = None


DEFAULT_LIMITS: Final = Limits()


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What containers of a cluster share; `agent` is None if the node runs without it."""

    cluster: str
    network: Network
    image: Image
    limits: Limits
    agent: AgentSpec | None


def user() -> tuple[int, int]:
    """Return user and group of the nodes in containers: this process's own, but never root."""
    if os.getuid() == _ROOT:
        return _USER, _USER
    return os.getuid(), os.getgid()


def make_accessible(plan: NodePlan, agent: AgentSpec | None) -> None:
    """Make the container's user the owner of all that the node writes; raises OSError."""
    if os.getuid() != _ROOT:
        return
    for path in (*_written(plan, agent), *plan.folder.rglob("*")):
        os.chown(path, *user())


def container_of(plan: NodePlan, around: Surroundings) -> DockerContainer:
    """Return the node's container, ready to be started."""
    name = host_name(plan.id)
    container = DockerContainer(around.image.tag)
    container.image = around.image.tag  # without a registry prefix from Testcontainers
    container.with_name(f"insync-{around.cluster}-{plan.id}")
    container.with_network(around.network).with_network_aliases(name)
    container.with_command(_command(plan, around, name))
    container.with_envs(**plan.extras.environment)
    # with_bind_ports takes no host: it would publish on every address.
    container.ports[f"{INSIDE}/tcp"] = (LOOPBACK, plan.port)  # type: ignore[assignment]
    for path in _read(plan, around.agent):
        container.with_volume_mapping(path, str(path), "ro")
    for path in _written(plan, around.agent):
        container.with_volume_mapping(path, str(path), "rw")
    return container.with_kwargs(
        hostname=name,
        user="{}:{}".format(*user()),
        working_dir=str(plan.folder),
        log_config=_READABLE_LOG,
        # A health check runs in the node's control group and would use CPU time of a starved node.
        healthcheck={"test": ["NONE"]},
        labels=leftovers.labels(around.cluster, plan.log),
        # Do not ask this host's name server for a node that has ended.
        dns=[LOOPBACK],
        dns_search=["."],
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        **_limited(around.limits),
    )


_UNENCRYPTED: Final = "-Dinsync.bridge.unencrypted=true"
"""Without it the bridge refuses every address but loopback."""


def _command(plan: NodePlan, around: Surroundings, name: str) -> list[str]:
    flags = [
        *plan.flags,
        # This host connects to the bridge at the container's own address, in a network of the run.
        *([f"-Dinsync.bridge.address={name}", _UNENCRYPTED] if around.agent else []),
        *_FORGET_ADDRESSES,
        *node_flags(plan.folder / TEMPORARY),
        *plan.extras.flags,
    ]
    return around.image.command(flags, plan.main, str(plan.settings_file))


def _limited(limits: Limits) -> dict[str, int]:
    memory = limits.memory_mib * _MIB
    figures = {"mem_limit": memory, "memswap_limit": memory}
    if limits.cpus is not None:
        # Not `nano_cpus`, which cannot be changed while the container runs.
        figures |= {"cpu_period": _PERIOD_US, "cpu_quota": round(_PERIOD_US * limits.cpus)}
    return figures


def _read(plan: NodePlan, agent: AgentSpec | None) -> Iterator[Path]:
    yield LOG_CONFIG
    yield from plan.extras.files
    if agent is not None:
        yield agent.jar.absolute()
        yield agent.lab.absolute()


def _written(plan: NodePlan, agent: AgentSpec | None) -> Iterator[Path]:
    yield plan.folder
    yield from plan.extras.shared
    if agent is not None:
        yield agent.events_dir.absolute()
        yield agent.bridge_dir.absolute()
