"""Plan the nodes of a cluster, in the order in which they start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.brokers.cluster import properties
from insync.brokers.cluster.addresses import Addresses
from insync.brokers.cluster.node import NodePlan, Role
from insync.brokers.cluster.properties import ZOOKEEPER_ID
from insync.brokers.kafka import formats, zookeeper
from insync.brokers.kafka.ports import free_ports
from insync.nodes import CONTROLLER_ID


@dataclass(frozen=True)
class Controllers:
    """The nodes of a cluster on KRaft that are controllers.

    Args:
        count: how many there are. Those that are only controllers have ids from CONTROLLER_ID on.
        combined: whether brokers 1 to `count` are also the controllers, and no node is only one.

    """

    count: int = 1
    combined: bool = False

    @property
    def ids(self) -> Sequence[int]:
        """The nodes that are controllers."""
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
            other = found[number] if advertises and found[number] != at[number] else None
            made = properties.controller(number, home, at[number], voters, settings, other)
            plans.append(NodePlan(number, "controller", home, port, made))
    for number, port in zip(brokers, ports[len(ids) :], strict=True):
        home = folder / str(number)
        own = addresses.of_broker(number, port)
        if number in at:
            own = properties.with_controller(own, at[number])
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
    home = folder / str(ZOOKEEPER_ID)
    host, inside = addresses.meeting(ZOOKEEPER_ID, first)
    made = zookeeper.settings(home / formats.METADATA, inside, host)
    server = NodePlan(
        ZOOKEEPER_ID, "zookeeper", home, first, made, main=zookeeper.MAIN, flags=zookeeper.FLAGS
    )
    plans = [server]
    for number, port in zip((CONTROLLER_ID, *brokers), ports, strict=True):
        home = folder / str(number)
        own = addresses.of_broker(number, port)
        made = properties.broker_on_zookeeper(number, home, f"{host}:{inside}", own, settings)
        role: Role = "controller" if number == CONTROLLER_ID else "broker"
        plans.append(NodePlan(number, role, home, port, made))
    return plans
