"""Start and stop clusters: the parts that clusters of processes and of containers share.

A subclass says how to run one node, and what else to create and remove.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from insync.brokers.cluster import node, properties
from insync.brokers.cluster.addresses import Addresses
from insync.brokers.cluster.links.proxies import Links
from insync.brokers.cluster.node import NO_EXTRAS, AgentSpec, Node, NodeExtras, NodePlan, Role
from insync.brokers.cluster.ready import (
    PortTakenError,
    await_controller,
    await_ready,
    await_zookeeper,
    forget_broker,
)
from insync.brokers.kafka import formats, process, warmup
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.ports import LOOPBACK, free_ports
from insync.brokers.kafka.versions import numbers
from insync.brokers.kafka.warmup import without_elr
from insync.errors import InputError
from insync.nodes import CONTROLLER_ID


@dataclass(frozen=True)
class Controllers:
    """The `count` nodes of a cluster on KRaft that are controllers.

    If `combined` these are brokers, from 1 on, otherwise nodes of their own from CONTROLLER_ID on.
    """

    count: int = 1
    combined: bool = False

    @property
    def ids(self) -> Sequence[int]:
        first = 1 if self.combined else CONTROLLER_ID
        return range(first, first + self.count)


ONE_CONTROLLER = Controllers()


def on_kraft(
    folder: Path,
    brokers: Sequence[int],
    settings: Mapping[str, str],
    addresses: Addresses,
    controllers: Controllers = ONE_CONTROLLER,
    *,
    advertises: bool = True,
) -> list[NodePlan]:
    """Plan the controllers and the brokers; raises OSError when there are no free ports.

    `advertises`: whether controllers of this version may advertise another address than their own,
    and have to, because they tell it to brokers.
    """
    ids = controllers.ids
    ports = free_ports(len(ids) + len(brokers))
    ports_of = dict(zip(ids, ports[: len(ids)], strict=True)).items()
    at = {number: "{}:{}".format(*addresses.meeting(number, port)) for number, port in ports_of}
    found = {number: "{}:{}".format(*addresses.found_at(number, port)) for number, port in ports_of}
    voters = ",".join(f"{number}@{address}" for number, address in found.items())
    plans = []
    if not controllers.combined:
        for number, port in ports_of:
            home = folder / str(number)
            own = {"listeners": f"CONTROLLER://{at[number]}"}
            if advertises and found[number] != at[number]:
                own["advertised.listeners"] = f"CONTROLLER://{found[number]}"
            made = properties.controller(number, home, voters, own, settings)
            plans.append(NodePlan(number, "controller", home, port, made))
    for number, port in zip(brokers, ports[len(ids) :], strict=True):
        home = folder / str(number)
        own = addresses.of_broker(number, port)
        if number in at:
            own["process.roles"] = "broker,controller"
            own["listeners"] += f",CONTROLLER://{at[number]}"
        made = properties.broker(number, home, voters, own, settings)
        plans.append(NodePlan(number, "broker", home, port, made))
    return plans


def on_zookeeper(
    folder: Path, brokers: Sequence[int], settings: Mapping[str, str], addresses: Addresses
) -> list[NodePlan]:
    """Plan one ZooKeeper, one broker that is only the controller, and the brokers.

    Any broker can become the controller. A broker without partitions is the controller here, so
    that faults on the other brokers do not affect it, as on KRaft. Raises OSError when there are
    no free ports.
    """
    first, *ports = free_ports(2 + len(brokers))
    home = folder / str(properties.ZOOKEEPER_ID)
    host, inside = addresses.meeting(properties.ZOOKEEPER_ID, first)
    made = warmup.zookeeper_settings(home / formats.METADATA, inside, host)
    plans = [
        NodePlan(
            properties.ZOOKEEPER_ID, "zookeeper", home, first, made,
            main=warmup.ZOOKEEPER_MAIN, flags=warmup.ZOOKEEPER_FLAGS,
        )
    ]  # fmt: skip
    for number, port in zip((CONTROLLER_ID, *brokers), ports, strict=True):
        home = folder / str(number)
        own = addresses.of_broker(number, port)
        at = f"{host}:{inside}"
        made = properties.broker(number, home, at, own, settings, zookeeper=True)
        role: Role = "controller" if number == CONTROLLER_ID else "broker"
        plans.append(NodePlan(number, role, home, port, made))
    return plans


_READY_WITHIN_S = 60.0
_CONTROLLERS_ADVERTISE = (3, 9)


@dataclass(kw_only=True, eq=False)
class NodeCluster:
    """A fresh cluster whose nodes `_run` starts; leaving the `with` block stops it.

    It has a controller (`CONTROLLER_ID`) or several, brokers from 1 on, and before KRaft a
    ZooKeeper. To make one raises InputError if the folder's path contains a comma.

    Args:
        folder: has a subfolder per node, in which a data folder may already exist if it is empty,
            for example as a mount point.
        settings: are added to every node's server.properties, because the controller reads some
            broker settings too, such as broker.session.timeout.ms.
        extras: for single brokers, by id.
        links: open proxies for the traffic between brokers.
        elr: without it, eligible leader replicas are off, otherwise as in the version's default.
        quorum: which nodes are controllers, on KRaft.

    """

    dist: Distribution = field(kw_only=False)
    folder: Path = field(kw_only=False)
    brokers: int = 3
    settings: Mapping[str, str] = field(default_factory=dict)
    agent: AgentSpec | None = None
    extras: Mapping[int, NodeExtras] = field(default_factory=dict)
    links: Links | None = None
    elr: bool = True
    quorum: Controllers = ONE_CONTROLLER

    def __post_init__(self) -> None:
        self.folder = self.folder.absolute()
        if "," in str(self.folder):
            raise InputError(f"folder: {self.folder} has a comma, expected one without")
        self.nodes: dict[int, Node] = {}
        self._planned: dict[int, NodePlan] = {}

    @property
    def bootstrap(self) -> str:
        brokers = (self.nodes[number] for number in range(1, self.brokers + 1))
        return ",".join(f"{LOOPBACK}:{broker.port}" for broker in brokers)

    @property
    def client_bootstrap(self) -> str:
        """The addresses for clients whose links to brokers can be broken."""
        proxies = [] if self.links is None else self.links.clients.values()
        return ",".join("{}:{}".format(*each.address) for each in proxies) or self.bootstrap

    @property
    def controllers(self) -> Sequence[Node]:
        """The nodes that are controllers; none on ZooKeeper."""
        return [self.nodes[number] for number in self.quorum.ids if number in self.nodes]

    @property
    def zookeeper(self) -> Node:
        """The ZooKeeper; raises KeyError on KRaft."""
        return self.nodes[properties.ZOOKEEPER_ID]

    def __enter__(self) -> Self:
        try:
            self._start()
        except PortTakenError:
            # Free ports cannot be reserved: another process took one. Try again.
            self._discard()
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Kill every node and wait until all have ended; may be called again.

        All are killed together, so that none sees another one disappear and records that. What
        the controller wrote before stays readable because the kernel has it.
        """
        process.kill([each.process for each in self.nodes.values()])

    def kill(self, number: int) -> None:
        process.kill([self.nodes[number].process])

    def restart(self, number: int) -> None:
        """Start a killed broker again, in its folder and at its port; do not wait for it.

        On KRaft it serves after its old session has ended, on ZooKeeper right after its start.
        """
        if self.dist.release.zookeeper:
            forget_broker(self.zookeeper.port, number)
        self.nodes[number] = self._run(self._planned[number])

    def remove_data(self) -> None:
        for each in self._planned.values():
            node.remove_data(each.folder)

    def _addresses(self) -> Addresses:
        """Open the proxies, if there are any, and return how nodes are addressed."""
        raise NotImplementedError

    def _run(self, plan: NodePlan) -> Node:
        """Start a node whose folder is ready, for the first time or again with its old data."""
        raise NotImplementedError

    def _run_all(self, planned: Sequence[NodePlan]) -> None:
        """Start nodes that need not wait for each other."""
        for plan in planned:
            self.nodes[plan.id] = self._run(plan)

    def _start(self) -> None:
        try:
            self._prepare()
            planned = tuple(self._planned.values())
            if self.dist.release.zookeeper:
                planned = self._start_first_two(planned)
            self._run_all(planned)
            await_ready(tuple(self.nodes.values()), _READY_WITHIN_S)
        except OSError as error:
            self.stop()
            raise InputError(f"cluster: cannot start in {self.folder}: {error}") from error
        except BaseException:
            self.stop()
            raise

    def _prepare(self) -> None:
        cluster = formats.new_id()
        templates = self._templates()
        for plan in self._plans():
            self._planned[plan.id] = self._equipped(plan)
            node.prepare(self._planned[plan.id], templates, cluster)

    def _plans(self) -> list[NodePlan]:
        brokers, addresses = range(1, self.brokers + 1), self._addresses()
        if self.dist.release.zookeeper:
            return on_zookeeper(self.folder, brokers, self.settings, addresses)
        return on_kraft(
            self.folder, brokers, self.settings, addresses, self.quorum,
            advertises=numbers(self.dist.version) >= _CONTROLLERS_ADVERTISE,
        )  # fmt: skip

    def _start_first_two(self, planned: Sequence[NodePlan]) -> tuple[NodePlan, ...]:
        """Start the ZooKeeper, then the broker that becomes controller; return the other nodes."""
        zookeeper, controller, *others = planned
        self._run_all([zookeeper])
        await_zookeeper(self.zookeeper, _READY_WITHIN_S)
        self._run_all([controller])
        await_controller(self.zookeeper, tuple(self.nodes.values()), _READY_WITHIN_S)
        return tuple(others)

    def _discard(self) -> None:
        for each in self._planned.values():
            # A mount point in it stays, empty, as do the folders above it.
            shutil.rmtree(each.folder, ignore_errors=True)
        self._planned.clear()
        self.nodes.clear()

    def _templates(self) -> Path | None:
        """Return the formatted nodes to copy; None on ZooKeeper, which needs none."""
        if self.dist.release.zookeeper:
            return None
        return self.dist.formats if self.elr else without_elr(self.dist)

    def _agent_of(self, plan: NodePlan) -> AgentSpec | None:
        """Return the agent of a node: brokers have it, and a KRaft controller may have it.

        A controller on ZooKeeper cannot honour a leader that steps down, so it has no agent.
        """
        if self.agent and self.agent.nodes is not None and plan.id not in self.agent.nodes:
            return None
        if plan.role == "broker":
            return self.agent
        woven = plan.role == "controller" and not self.dist.release.zookeeper
        return self.agent if woven and self.agent and self.agent.on_controller else None

    def _equipped(self, plan: NodePlan) -> NodePlan:
        """Return the plan of a node with its agent, and of a broker with its extras."""
        agent = self._agent_of(plan)
        flags = [] if agent is None else [agent.flag(plan.id)]
        own = self.extras.get(plan.id, NO_EXTRAS) if plan.role == "broker" else NO_EXTRAS
        settings = {**plan.settings, **own.settings}
        return replace(plan, settings=settings, flags=[*plan.flags, *flags], extras=own)


class AttachedCluster(NodeCluster):
    """A cluster that insync did not start, and neither changes nor stops."""

    def __init__(self, bootstrap: str) -> None:
        self._named = bootstrap
        self.links = None
        self.nodes: dict[int, Node] = {}

    @property
    def bootstrap(self) -> str:
        return self._named
