"""Cut, delay, slow or lose what nodes send to each other: a proxy in front of each listener.

A broker advertises its proxy to the other brokers, so replication between two brokers goes
through this process and can be changed for this pair only. The client id of a connection's first
request says which broker connects. Where asked for, clients reach brokers, and brokers the
controller, through proxies too. The proxies open before the nodes' settings are written,
because the settings contain the proxies' addresses; the address behind a proxy is looked up for
each connection.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from itertools import combinations
from typing import Any, Self

from insync.brokers.cluster.links.proxy import Proxy, who_asks_controller
from insync.brokers.cluster.links.rules import FREE, Passed, Rule, Treatment
from insync.errors import InputError
from insync.nodes import CLIENTS, CONTROLLER_ID

Address = tuple[str, int]

_ANSWERS_WITHIN_S = 5.0


class Links:
    """The proxies of a cluster's nodes, served by one thread; a context manager.

    The code that creates the cluster calls `open` and the `lead` methods.
    """

    def __init__(
        self, brokers: Sequence[int], *, clients: bool = False, controller: bool = False
    ) -> None:
        """Plan a proxy for each broker's replication.

        `clients`: another one for its clients. `controller`: one for the controller's brokers.
        """
        others = [CLIENTS] * clients + [CONTROLLER_ID] * controller
        pairs = [*combinations(brokers, 2), *((one, other) for one in brokers for other in others)]
        self._rules = {frozenset(pair): Rule() for pair in pairs}
        self._proxies = {broker: Proxy(broker, self._rules) for broker in brokers}
        self._for_clients = {
            broker: Proxy(broker, self._rules, lambda _: CLIENTS) for broker in brokers if clients
        }
        self._controller = (
            Proxy(CONTROLLER_ID, self._rules, who_asks_controller) if controller else None
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="links", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._close_all()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_ANSWERS_WITHIN_S)

    def open(self, host: str) -> None:
        """Open all proxies on an address of this host that the brokers can reach.

        Proxies that were open before are closed, together with their connections. Raises
        InputError for an address that does not belong to this host.
        """
        self._close_all()
        try:
            for proxy in self._all():
                self._do(proxy.open(host))
        except OSError as error:
            raise InputError(f"links: no proxy on {host}: {error.strerror}") from error

    @property
    def brokers(self) -> Mapping[int, Address]:
        """The address of each broker's proxy, which the broker advertises."""
        return {number: proxy.address for number, proxy in self._proxies.items()}

    @property
    def clients(self) -> Mapping[int, Address]:
        """The address at which clients reach each broker; empty if they use no proxies."""
        return {number: proxy.address for number, proxy in self._for_clients.items()}

    @property
    def controller(self) -> Address | None:
        """The address at which brokers reach the controller; None if they use no proxy."""
        return None if self._controller is None else self._controller.address

    def lead(self, broker: int, to: Callable[[], Address]) -> None:
        """Set where a broker's replication listener is; `to` is called for each connection."""
        self._proxies[broker].upstream = to

    def lead_clients(self, broker: int, to: Callable[[], Address]) -> None:
        """Set where a broker's listener for clients is."""
        self._for_clients[broker].upstream = to

    def lead_controller(self, to: Callable[[], Address]) -> None:
        """Set where the controller's listener is."""
        if self._controller is not None:
            self._controller.upstream = to

    def treat(self, one: int, other: int, treatment: Treatment) -> None:
        """Apply a treatment to the traffic between two nodes, or a node and its clients."""
        self._do(self._rule(one, other).change(treatment))

    def free(self, one: int, other: int) -> None:
        """Let all traffic between two nodes pass, beginning with what was delayed."""
        self.treat(one, other, FREE)

    def passed(self, one: int, other: int) -> Passed:
        """Return the counts of the current treatment of two nodes."""
        return self._rule(one, other).passed

    def passed_one_way(self, sender: int, receiver: int) -> Passed:
        """Return the counts of what one node sent to another one."""
        return self._rule(sender, receiver).passed_in((sender, receiver))

    def _close_all(self) -> None:
        for proxy in self._all():
            self._do(proxy.close())

    def _all(self) -> list[Proxy]:
        own = [] if self._controller is None else [self._controller]
        return [*self._proxies.values(), *self._for_clients.values(), *own]

    def _rule(self, one: int, other: int) -> Rule:
        return self._rules[frozenset((one, other))]

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_ANSWERS_WITHIN_S)
