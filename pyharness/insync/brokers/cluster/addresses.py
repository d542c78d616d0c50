"""Choose where a cluster's nodes listen and how they find each other: on loopback or by name."""

from abc import ABC, abstractmethod

from insync.brokers.kafka.ports import LOOPBACK

INSIDE = 9092
"""The only published port of a container; each is mapped to its own port of loopback."""
BETWEEN_BROKERS = 9094
"""The port of a broker's container for other brokers; only their network reaches it."""


class Addresses(ABC):
    """How nodes are addressed; `port` is the port at which this host reaches a node."""

    @abstractmethod
    def meeting(self, number: int, port: int) -> tuple[str, int]:
        """Return host and port at which the controller or the ZooKeeper listens."""

    def found_at(self, number: int, port: int) -> tuple[str, int]:
        """Return host and port at which all others find the controller."""
        return self.meeting(number, port)

    @abstractmethod
    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return the settings for a broker's listeners and advertised listeners."""


class OnLoopback(Addresses):
    """Nodes that are processes of this host."""

    def meeting(self, number: int, port: int) -> tuple[str, int]:
        """Return the node's only address."""
        return LOOPBACK, port

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return the settings of the broker's only listener."""
        listener = f"PLAINTEXT://{LOOPBACK}:{port}"
        return {
            "listeners": listener,
            "advertised.listeners": listener,
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        }


class InNetwork(Addresses):
    """Nodes that are containers: they know each other by name, this host uses published ports."""

    def meeting(self, number: int, port: int) -> tuple[str, int]:
        """Return the node's name and port in the network."""
        return host_name(number), INSIDE

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return the settings of a listener for this host's clients and one for other brokers."""
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
