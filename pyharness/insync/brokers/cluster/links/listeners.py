"""Choose the listeners of nodes whose connections go through proxies (`proxies.py`).

Replication has its own listener, because client traffic has another proxy or none. A broker
advertises its proxy's address for a listener. Brokers find the controller at its proxy.
"""

from collections.abc import Callable, Mapping
from typing import Final

from insync.brokers.cluster.addresses import BETWEEN_BROKERS, INSIDE, InNetwork, OnLoopback
from insync.brokers.cluster.links.proxies import Address, Links
from insync.brokers.kafka.ports import LOOPBACK, free_ports

_BETWEEN: Final = "inter.broker.listener.name"
_NAME: Final = "REPLICATION"


class LinkedOnLoopback(OnLoopback):
    """Nodes that are processes of this host, with a proxy between each two brokers."""

    def __init__(self, links: Links) -> None:
        """Open the proxies on loopback."""
        links.open(LOOPBACK)
        self._links = links

    def found_at(self, number: int, port: int) -> Address:
        """Return the controller's proxy, if it has one."""
        own = self.meeting(number, port)
        self._links.lead_controller(lambda: own)
        return self._links.controller or own

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return the settings of two listeners; without a proxy both are advertised directly."""
        (free,) = free_ports(1)
        own = (LOOPBACK, free)
        settings = with_second_listener(super().of_broker(number, port), own)
        if (for_clients := self._links.clients.get(number)) is not None:
            self._links.lead_clients(number, lambda: (LOOPBACK, port))
            settings = advertised(settings, for_clients, "PLAINTEXT")
        proxy = self._links.brokers.get(number)
        if proxy is None:
            return settings
        self._links.lead(number, lambda: own)
        return advertised(settings, proxy, settings[_BETWEEN])


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
        """Return the controller's proxy, if it has one."""
        self._links.lead_controller(lambda: (self._find(number), INSIDE))
        return self._links.controller or self.meeting(number, port)

    def of_broker(self, number: int, port: int) -> dict[str, str]:
        """Return the settings of its listeners; without a proxy both are advertised directly."""
        settings = super().of_broker(number, port)
        if (for_clients := self._links.clients.get(number)) is not None:
            self._links.lead_clients(number, lambda: (LOOPBACK, port))
            settings = advertised(settings, for_clients, "CLIENT")
        proxy = self._links.brokers.get(number)
        if proxy is None:
            return settings
        self._links.lead(number, lambda: (self._find(number), BETWEEN_BROKERS))
        return advertised(settings, proxy, settings[_BETWEEN])


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
