"""Cut, delay, slow or lose what nodes send to each other: a proxy in front of each listener.

A broker advertises its proxy to the other brokers, so replication between two brokers goes
through this process and can be changed for this pair only. The client id of a connection's first
request says which broker connects. Where asked for, clients reach brokers, and brokers the
controller, through proxies too. The proxies open before the nodes' settings are written,
because the settings contain the proxies' addresses; the address behind a proxy is looked up for
each connection.
"""

import asyncio
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any, Final, Self, cast

from insync.brokers.cluster.links.rules import FREE, Passed, Rule, Treatment
from insync.errors import InputError
from insync.nodes import CLIENTS, CONTROLLER_ID

PIECE: Final = 16 * 1024
PIECES: Final = 16
_KERNEL_TAKES: Final = 32 * 1024
_OPENING: Final = struct.Struct(">ihhih")  # length, API, its version, correlation, name's length
_FOLLOWER: Final = re.compile(rb"broker-(\d+)-fetcher-\d+")
_BROKER: Final = re.compile(rb"(?:raft-client-)?(\d+)")
_LONGEST_NAME: Final = 255


def who(client: bytes) -> int | None:
    """Return the broker whose replica fetcher has this client id; None for other clients."""
    found = _FOLLOWER.fullmatch(client)
    return int(found[1]) if found else None


def who_asks_controller(client: bytes) -> int | None:
    """Return the broker that connects to a controller with this client id, if it is one's.

    Fetches of the metadata log come from `raft-client-ID`; heartbeats, forwarded requests and
    changes of ISRs from `ID`.
    """
    found = _BROKER.fullmatch(client)
    return int(found[1]) if found else None


class Proxy:
    """The proxy of one listener of a node; `rules` has the rule of each pair of nodes.

    `who` finds the number of the node that connects by its client id; 0 is anybody else.
    """

    def __init__(
        self,
        node: int,
        rules: Mapping[frozenset[int], Rule],
        who: Callable[[bytes], int | None] = who,
    ) -> None:
        self.upstream: Callable[[], tuple[str, int]] | None = None
        self._node = node
        self._rules = rules
        self._who = who
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.address = ("", 0)

    async def open(self, host: str) -> None:
        """Listen on a free port of `host`; raises OSError."""
        listening = _tcp()
        try:
            listening.bind((host, 0))
        except OSError:
            listening.close()
            raise
        self._server = await asyncio.start_server(self._serve, sock=listening, limit=PIECE)
        self.address = listening.getsockname()[:2]

    async def close(self) -> None:
        """Stop listening and close all connections."""
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._open.add(task)
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await self._lead(reader, writer)
        finally:
            self._open.discard(task)
            writer.close()

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opening, client = await _opening(reader)
        peer = self._who(client) or 0
        rule = self._rules.get(frozenset((peer, self._node)), Rule())
        if self.upstream is None:
            return
        to_reader, to_writer = await _connected(self.upstream())
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_pump(reader, to_writer, rule, (peer, self._node), opening))
                both.create_task(_pump(to_reader, writer, rule, (self._node, peer)))
        except* OSError:
            pass
        finally:
            to_writer.close()


async def _connected(
    address: tuple[str, int],
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the address behind a proxy; raises OSError."""
    connection = _tcp()
    try:
        await asyncio.get_running_loop().sock_connect(connection, address)
    except OSError:
        connection.close()
        raise
    return await asyncio.open_connection(sock=connection, limit=PIECE)


def _tcp() -> socket.socket:
    """Return a TCP socket with a small receive buffer.

    The protocol is given explicitly, because otherwise asyncio leaves Nagle's algorithm on and
    a fetch waits 40 ms.
    """
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setblocking(False)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _KERNEL_TAKES)
    return made


async def _opening(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Return the first bytes of the first request, and the client id at their end."""
    head = await reader.readexactly(_OPENING.size)
    length = _OPENING.unpack(head)[4]
    client = await reader.readexactly(length) if 0 < length <= _LONGEST_NAME else b""
    return head + client, client


async def _pump(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    rule: Rule,
    direction: tuple[int, int],
    opening: bytes = b"",
) -> None:
    """Forward one direction until it ends; raises OSError when a side has disconnected."""
    pieces: asyncio.Queue[tuple[bytes, float]] = asyncio.Queue(PIECES)

    async def read() -> None:
        piece = opening or await _piece(reader)
        while piece:
            rule.came(len(piece), direction)
            try:
                await pieces.put((piece, time.monotonic()))
            except asyncio.CancelledError:
                rule.dropped(len(piece), direction)
                raise
            piece = await _piece(reader)
        await pieces.put((b"", time.monotonic()))

    reading = asyncio.create_task(read())
    try:
        while True:
            piece, came_at = await pieces.get()
            await rule.hold(len(piece), came_at, direction)
            if not piece:
                break
            writer.write(piece)
            await writer.drain()
        writer.write_eof()
    finally:
        reading.cancel()
        while not pieces.empty():
            rule.dropped(len(pieces.get_nowait()[0]), direction)


async def _piece(reader: asyncio.StreamReader) -> bytes:
    """Return the next bytes; empty at the end of the stream and after a lost connection."""
    try:
        return await reader.read(PIECE)
    except ConnectionError:
        return b""


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
