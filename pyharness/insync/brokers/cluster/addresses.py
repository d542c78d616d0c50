"""Choose where a cluster's nodes listen and how they find each other: on loopback or by name.

With proxies (`links`) replication has its own listener, because client traffic has another proxy
or none. A broker advertises its proxy's address for a listener. Brokers find the controller at its
proxy.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Final

from insync.brokers.cluster.links.proxies import Address, Links
from insync.brokers.kafka.ports import LOOPBACK, free_ports

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
        return LOOPBACK, port

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        listener = f"PLAINTEXT://{LOOPBACK}:{port}"
        return {
            "listeners": listener,
            "advertised.listeners": listener,
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        }


class InNetwork(Addresses):
    """Nodes that are containers: they know each other by name, this host uses published ports."""

    def meeting(self, number: int, port: int) -> tuple[str, int]:
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


_BETWEEN: Final = "inter.broker.listener.name"
_NAME: Final = "REPLICATION"


class LinkedOnLoopback(OnLoopback):
    """Nodes that are processes of this host, with a proxy between each two brokers."""

    def __init__(self, links: Links) -> None:
        links.open(LOOPBACK)
        self._links = links

    def found_at(self, number: int, port: int) -> Address:
        own = self.meeting(number, port)
        return _proxied(self._links, number, own, lambda: own)

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return the settings of two listeners; without a proxy both are advertised directly."""
        (free,) = free_ports(1)
        own = (LOOPBACK, free)
        settings = with_second_listener(super().of_broker(number, port), own)
        return _advertised(self._links, number, port, settings, "PLAINTEXT", lambda: own)


class LinkedInNetwork(InNetwork):
    """Nodes that are containers, with a proxy of this host between each two brokers."""

    def __init__(self, links: Links, host: str, find: Callable[[int], str]) -> None:
        """Open the proxies on `host`, this host's own address in the network.

        `find` returns the address at which this host reaches a broker's container.
        """
        links.open(host)
        self._links = links
        self._find = find

    def found_at(self, number: int, port: int) -> Address:
        own = self.meeting(number, port)
        return _proxied(self._links, number, own, lambda: (self._find(number), INSIDE))

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return the settings of its listeners; without a proxy both are advertised directly."""
        settings = super().of_broker(number, port)
        return _advertised(
            self._links, number, port, settings, "CLIENT",
            lambda: (self._find(number), BETWEEN_BROKERS),
        )  # fmt: skip


def _proxied(links: Links, number: int, own: Address, to: Callable[[], Address]) -> Address:
    """Return where others find a controller: at its proxy, which leads to it, or at its own."""
    if (proxy := links.controllers.get(number)) is None:
        return own
    proxy.upstream = to
    return proxy.address


def _advertised(
    links: Links,
    number: int,
    port: int,
    settings: dict[str, str],
    clients: str,
    own: Callable[[], Address],
) -> dict[str, str]:
    """Return a broker's settings with its proxies advertised, which lead to its listeners.

    `clients` is its listener for clients; `own` returns where that for replication is.
    """
    if (proxy := links.clients.get(number)) is not None:
        proxy.upstream = lambda: (LOOPBACK, port)
        settings = advertised(settings, proxy.address, clients)
    if (proxy := links.brokers.get(number)) is None:
        return settings
    proxy.upstream = own
    return advertised(settings, proxy.address, settings[_BETWEEN])


def with_second_listener(settings: Mapping[str, str], at: Address) -> dict[str, str]:
    """Return a broker's settings with an additional listener for the other brokers."""
    listener = f"{_NAME}://{at[0]}:{at[1]}"
    kinds = "listener.security.protocol.map"
    return {
        **settings,
        "listeners": f"{settings['listeners']},{listener}",
        "advertised.listeners": f"{settings['advertised.listeners']},{listener}",
        kinds: f"{settings[kinds]},{_NAME}:PLAINTEXT",
        _BETWEEN: _NAME,
    }


def advertised(settings: Mapping[str, str], at: Address, name: str) -> dict[str, str]:
    """Return a broker's settings, with the address `at` advertised for its listener `name`."""
    kept = [
        each
        for each in settings["advertised.listeners"].split(",")
        if not each.startswith(f"{name}://")
    ]
    return {**settings, "advertised.listeners": ",".join([*kept, f"{name}://{at[0]}:{at[1]}"])}
