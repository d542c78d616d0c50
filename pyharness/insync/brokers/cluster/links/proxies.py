"""Cut, delay or slow the links between brokers: a proxy in front of each replication listener.

A broker advertises its proxy to the other brokers, so replication between two brokers goes
through this process and can be changed for this pair only. The client id of a connection's first
request says which broker connects. The proxies open before the brokers' settings are written,
because the settings contain the proxies' addresses; the address behind a proxy is looked up for
each connection.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from insync.brokers.cluster.links.proxy import Proxy
from insync.brokers.cluster.links.rules import FREE, Passed, Rule, Treatment
from insync.errors import InputError

Address = tuple[str, int]

_ANSWERS_WITHIN_S = 5.0


class Links:
    """The proxies of a cluster's brokers, served by one thread; a context manager.

    The code that creates the cluster calls `open` and `lead`.
    """

    def __init__(self, brokers: Sequence[int]) -> None:
        """Plan a proxy for each broker."""
        self._rules = {
            frozenset((one, other)): Rule() for one in brokers for other in brokers if one < other
        }
        self._proxies = {broker: Proxy(broker, self._rules) for broker in brokers}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="links", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
            for proxy in self._proxies.values():
                self._do(proxy.open(host))
        except OSError as error:
            raise InputError(f"links: no proxy on {host}: {error.strerror}") from error

    @property
    def brokers(self) -> Mapping[int, Address]:
        """The address of each broker's proxy, which the broker advertises."""
        return {number: proxy.address for number, proxy in self._proxies.items()}

    def lead(self, broker: int, to: Callable[[], Address]) -> None:
        """Set where a broker's replication listener is; `to` is called for each connection."""
        self._proxies[broker].upstream = to

    def treat(self, one: int, other: int, treatment: Treatment) -> None:
        """Apply a treatment to all traffic between two brokers from now on."""
        self._do(self._rule(one, other).change(treatment))

    def free(self, one: int, other: int) -> None:
        """Let all traffic between two brokers pass, beginning with what was delayed."""
        self.treat(one, other, FREE)

    def passed(self, one: int, other: int) -> Passed:
        """Return the counts of the current treatment of two brokers."""
        return self._rule(one, other).passed

    def _close_all(self) -> None:
        for proxy in self._proxies.values():
            self._do(proxy.close())

    def _rule(self, one: int, other: int) -> Rule:
        return self._rules[frozenset((one, other))]

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_ANSWERS_WITHIN_S)
