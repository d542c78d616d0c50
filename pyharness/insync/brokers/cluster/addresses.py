"""Choose where a cluster's nodes listen and how they find each other: on loopback or by name.

With proxies (`links`) replication has its own listener, because client traffic has another proxy
or none. A broker advertises its proxy's address for a listener. Brokers find the controller at its
proxy.
"""

from collections.abc import Callable, Mapping
from typing import Final

from insync.brokers.cluster.links.proxies import Address, Links, Proxy
from insync.brokers.kafka.ports import LOOPBACK, free_ports

INSIDE: Final = 9092
"""The only published port of a container; each is mapped to its own port of loopback."""
BETWEEN_BROKERS: Final = 9094
"""The port of a broker's container for other brokers; only their network reaches it."""


class Addresses:
    """Those of nodes that are processes of this host, which reaches a node at its `port`."""

    clients, between = "PLAINTEXT", "REPLICATION"

    def __init__(self, links: Links | None = None, host: str = LOOPBACK) -> None:
        """Open the proxies, if there are any, on `host`, this host's own address for nodes."""
        if links is not None:
            links.open(host)
        self._links = links

    def meeting(self, number: int, port: int) -> Address:
        """Return host and port at which the controller or the ZooKeeper listens."""
        return LOOPBACK, port

    def listeners(self, number: int, port: int) -> dict[str, Address]:
        """Return where a broker listens for clients and, if that is apart, for other brokers."""
        own = {self.clients: (LOOPBACK, port)}
        if self._links is not None:
            (free,) = free_ports(1)
            own[self.between] = LOOPBACK, free
        return own

    def reached(self, number: int, at: Address) -> Address:
        """Return where this host reaches what a node listens `at`."""
        return at

    def found_at(self, number: int, port: int) -> Address:
        """Return host and port at which all others find the controller."""
        own = self.meeting(number, port)
        proxies = {} if self._links is None else self._links.controllers
        return _proxied(proxies, number, lambda: self.reached(number, own)) or own

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return the settings for a broker's listeners; without a proxy one is advertised as is."""
        own = self.listeners(number, port)
        told = {**own, self.clients: (LOOPBACK, port)}
        if self._links is not None:
            inner = own[self.between]
            for name, proxies, to in (
                (self.clients, self._links.clients, lambda: (LOOPBACK, port)),
                (self.between, self._links.brokers, lambda: self.reached(number, inner)),
            ):
                told[name] = _proxied(proxies, number, to) or told[name]
        return {
            "listeners": _listed(own),
            "advertised.listeners": _listed(told),
            "listener.security.protocol.map": ",".join(
                f"{name}:PLAINTEXT" for name in (*own, "CONTROLLER")
            ),
            **({"inter.broker.listener.name": self.between} if self.between in own else {}),
        }


class InNetwork(Addresses):
    """Those of containers: they know each other by name, this host uses published ports."""

    clients, between = "CLIENT", "INTERNAL"

    def __init__(self, links: Links | None, host: str, find: Callable[[int], str]) -> None:
        """`find` returns the address at which this host reaches a broker's container."""
        super().__init__(links, host)
        self._find = find

    def meeting(self, number: int, port: int) -> Address:
        return host_name(number), INSIDE

    def listeners(self, number: int, port: int) -> dict[str, Address]:
        name = host_name(number)
        return {self.clients: (name, INSIDE), self.between: (name, BETWEEN_BROKERS)}

    def reached(self, number: int, at: Address) -> Address:
        return self._find(number), at[1]


def host_name(number: int) -> str:
    return f"node-{number}"


def _proxied(
    proxies: Mapping[int, Proxy], number: int, to: Callable[[], Address]
) -> Address | None:
    """Return the address of a node's proxy, which leads `to` it; None if it has none."""
    if (proxy := proxies.get(number)) is None:
        return None
    proxy.upstream = to
    return proxy.address


def _listed(listeners: Mapping[str, Address]) -> str:
    return ",".join(f"{name}://{host}:{port}" for name, (host, port) in listeners.items())
