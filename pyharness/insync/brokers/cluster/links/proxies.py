"""The links between brokers: a proxy before each broker's replication listener.

A broker advertises its proxy to the others, so that what replicates between two brokers goes
through this process and can be cut, delayed or slowed for them alone. Who connects is said by
the client id of the first request. Opened before the brokers' settings are written, for they
need the proxies' addresses; where a proxy leads to is asked when somebody connects to it.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Self

from insync.brokers.cluster.links.proxy import Proxy
from insync.brokers.cluster.links.rules import FREE, Passed, Rule, Treatment
from insync.errors import InputError

Address = tuple[str, int]

_ANSWERS_WITHIN_S = 5.0


class Links:
    """The proxies of a cluster's brokers, served by one thread; a context manager.

    Whoever makes the cluster calls `open` and `lead`.
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

    def __exit__(self, *_: object) -> None:
        self._close_all()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_ANSWERS_WITHIN_S)

    def open(self, host: str) -> None:
        """Let all proxies listen on an address of this host that the brokers reach.

        Those that were open before are closed, with what goes through them. Raises InputError
        for an address that is not of this host.
        """
        self._close_all()
        try:
            for proxy in self._proxies.values():
                self._do(proxy.open(host))
        except OSError as error:
            raise InputError(f"links: no proxy on {host}: {error.strerror}") from error

    @property
    def brokers(self) -> Mapping[int, Address]:
        """The brokers that have a proxy, with the proxy's address: what they advertise."""
        return {number: proxy.address for number, proxy in self._proxies.items()}

    def lead(self, broker: int, to: Callable[[], Address]) -> None:
        """Say where a broker's replication listener is; asked for each connection anew."""
        self._proxies[broker].upstream = to

    def treat(self, one: int, other: int, treatment: Treatment) -> None:
        """Treat all that is sent between two brokers in this way from now on."""
        self._do(self._rule(one, other).change(treatment))

    def free(self, one: int, other: int) -> None:
        """Let everything pass between two brokers, what is held first."""
        self.treat(one, other, FREE)

    def passed(self, one: int, other: int) -> Passed:
        """Return what came of the treatment that two brokers have now."""
        return self._rule(one, other).passed

    def _close_all(self) -> None:
        for proxy in self._proxies.values():
            self._do(proxy.close())

    def _rule(self, one: int, other: int) -> Rule:
        return self._rules[frozenset((one, other))]

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_ANSWERS_WITHIN_S)
