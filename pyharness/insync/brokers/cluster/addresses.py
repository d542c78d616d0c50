"""Where a cluster's nodes listen, and how they find each other: on loopback, or by name."""

from typing import Protocol

from insync.brokers.kafka.ports import LOOPBACK

INSIDE = 9092
"""The one port of a container that is published, on loopback under a port of its own."""
BETWEEN_BROKERS = 9094
"""The port of a broker's container for the other brokers, in their network only."""


class Addresses(Protocol):
    """How nodes are addressed; `port` is the one at which this host reaches a node."""

    def meeting(self, number: int, port: int) -> tuple[str, int]:
        """Return host and port where all others find the controller, or the ZooKeeper."""

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return the settings that say where a broker listens and what it is called."""


class OnLoopback:
    """Nodes that are processes of this host."""

    def meeting(self, number: int, port: int) -> tuple[str, int]:
        """Return its one address."""
        return LOOPBACK, port

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return its one listener."""
        listener = f"PLAINTEXT://{LOOPBACK}:{port}"
        return {
            "listeners": listener,
            "advertised.listeners": listener,
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        }


class InNetwork:
    """Nodes that are containers: to each other they have names, to this host published ports."""

    def meeting(self, number: int, port: int) -> tuple[str, int]:
        """Return its name and port in the network."""
        return host_name(number), INSIDE

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return a listener for this host's clients and one for the other brokers."""
        name = host_name(number)
        between = f"INTERNAL://{name}:{BETWEEN_BROKERS}"
        return {
            "listeners": f"CLIENT://{name}:{INSIDE},{between}",
            "advertised.listeners": f"CLIENT://{LOOPBACK}:{port},{between}",
            "inter.broker.listener.name": "INTERNAL",
            "listener.security.protocol.map": (
                "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT"
            ),
        }


def host_name(number: int) -> str:
    """Return the name of a node's container in its network."""
    return f"node-{number}"
