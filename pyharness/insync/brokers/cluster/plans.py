"""Plan the nodes of a cluster, in the order in which they start."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from insync.brokers.cluster import properties
from insync.brokers.cluster.addresses import Addresses
from insync.brokers.cluster.node import NodePlan, Role
from insync.brokers.cluster.properties import ZOOKEEPER_ID
from insync.brokers.kafka import formats, zookeeper
from insync.brokers.kafka.ports import free_ports
from insync.nodes import CONTROLLER_ID


def on_kraft(
    folder: Path, brokers: Sequence[int], settings: Mapping[str, str], addresses: Addresses
) -> list[NodePlan]:
    """Plan one controller and the brokers; raises OSError when there are no free ports."""
    first, *ports = free_ports(1 + len(brokers))
    home = folder / str(CONTROLLER_ID)
    controller = "{}:{}".format(*addresses.meeting(CONTROLLER_ID, first))
    made = properties.controller(home, controller, settings)
    plans = [NodePlan(CONTROLLER_ID, "controller", home, first, made)]
    for number, port in zip(brokers, ports, strict=True):
        home = folder / str(number)
        own = addresses.of_broker(number, port)
        made = properties.broker(number, home, controller, own, settings)
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
