"""Cut, delay, slow or lose what nodes send to each other: a proxy in front of each listener.

A broker advertises its proxy to the other brokers, so replication between two brokers goes
through this process and can be changed for this pair only. The client id of a connection's first
request says which broker connects. Where asked for, clients reach brokers, and all nodes the
controllers, through proxies too. The proxies open before the nodes' settings are written,
because the settings contain the proxies' addresses; the address behind a proxy is looked up for
each connection. Where single answers may be acted on, whole messages pass instead of pieces.
"""

import asyncio
import re
import socket
import struct
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final, Self, cast

from insync.brokers.cluster.links.answers import AnswerRule, Conversation, ResetError
from insync.brokers.cluster.links.rules import FREE, LinkRule, Passed, Treatment
from insync.errors import InputError
from insync.nodes import CLIENTS

PIECE: Final = 16 * 1024
PIECES: Final = 16
_KERNEL_TAKES: Final = 32 * 1024
_OPENING: Final = struct.Struct(">ihhih")  # length, API, its version, correlation, name's length
_LENGTH: Final = struct.Struct(">i")
_LINGER: Final = struct.Struct("ii")
_RESETS: Final = _LINGER.pack(1, 0)
"""Of SO_LINGER: the end of a connection is a reset."""
FOLLOWER: Final = re.compile(rb"broker-(\d+)-fetcher-\d+")
"""The client ids of replica fetchers."""
_NODE: Final = re.compile(rb"(?:raft-client-)?(\d+)")
"""Those of nodes at a controller: for the metadata log and votes, and without a prefix for
heartbeats, forwarded requests and changes of ISRs."""
_LONGEST_NAME: Final = 255


def who(client: bytes, pattern: re.Pattern[bytes] | None) -> int:
    """Return the node with this client id; CLIENTS is anybody else."""
    found = pattern and pattern.fullmatch(client)
    return int(found[1]) if found else CLIENTS


@dataclass(eq=False)
class Proxy:
    """The proxy of one listener of a node; `rules` has the rule of each pair of nodes.

    `upstream` returns where the listener is, and is called for each connection. `ids` are the
    client ids of nodes, None if only clients connect. `answers`: whether single answers may be
    acted on, by the rules in it; None: they may not.
    """

    node: int
    rules: Mapping[frozenset[int], LinkRule]
    ids: re.Pattern[bytes] | None
    answers: list[AnswerRule] | None
    upstream: Callable[[], tuple[str, int]] | None = None
    address: tuple[str, int] = ("", 0)
    _server: asyncio.Server | None = None
    _open: set[asyncio.Task[None]] = field(default_factory=set)

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
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._open.add(task)
        try:
            # Only `close` cancels it, of which Python 3.11 would print a traceback.
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._lead(reader, writer)
        finally:
            self._open.discard(task)
            writer.close()

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opening, client = await _opening(reader)
        peer = who(client, self.ids)
        rule = self.rules.get(frozenset((peer, self.node)), LinkRule())
        if self.upstream is None:
            return
        to_reader, to_writer = await _connected(self.upstream())
        told = None if self.answers is None else Conversation(peer, self.answers, writer.write)
        asks, answered = (None, None) if told is None else (told.request, told.answer)
        there, back = (peer, self.node), (self.node, peer)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_pump(reader, to_writer, rule, there, opening, asks))
                both.create_task(_pump(to_reader, writer, rule, back, through=answered))
        except* ResetError:
            own = writer.get_extra_info("socket")
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESETS)
            writer.transport.abort()
        except* OSError:
            pass
        finally:
            if told is not None:
                told.end()
            to_writer.close()


async def _connected(
    address: tuple[str, int],
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
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


Through = Callable[[bytes, float], Awaitable[bytes]]
"""Returns a message as it is to be passed on, when it is; gets when it came."""


async def _pump(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    rule: LinkRule,
    direction: tuple[int, int],
    opening: bytes = b"",
    through: Through | None = None,
) -> None:
    """Forward one direction until it ends; raises OSError when a side has disconnected."""
    pieces: asyncio.Queue[tuple[bytes, float]] = asyncio.Queue(PIECES)
    following = _piece if through is None else _message

    async def read() -> None:
        piece = await following(reader, opening)
        while piece:
            rule.came(len(piece), direction)
            try:
                await pieces.put((piece, time.monotonic()))
            except asyncio.CancelledError:
                rule.dropped(len(piece), direction)
                raise
            piece = await following(reader)
        await pieces.put((b"", time.monotonic()))

    reading = asyncio.create_task(read())
    try:
        while True:
            piece, came_at = await pieces.get()
            await rule.hold(len(piece), came_at, direction)
            if not piece:
                break
            writer.write(piece if through is None else await through(piece, came_at))
            await writer.drain()
        writer.write_eof()
    finally:
        reading.cancel()
        while not pieces.empty():
            rule.dropped(len(pieces.get_nowait()[0]), direction)


async def _piece(reader: asyncio.StreamReader, begun: bytes = b"") -> bytes:
    """Return the next bytes; empty at the end of the stream and after a lost connection.

    `begun` has been read already.
    """
    try:
        return begun or await reader.read(PIECE)
    except ConnectionError:
        return b""


async def _message(reader: asyncio.StreamReader, begun: bytes = b"") -> bytes:
    """Return the next whole message, with its length; what there is of one that is cut short."""
    try:
        begun = begun or await reader.readexactly(_LENGTH.size)
        rest = _LENGTH.unpack_from(begun)[0] + _LENGTH.size - len(begun)
        return begun + await reader.readexactly(max(rest, 0))
    except asyncio.IncompleteReadError as error:
        return begun + error.partial
    except ConnectionError:
        return b""


Address = tuple[str, int]

_ANSWERS_WITHIN_S = 5.0


class Links:
    """The proxies of a cluster's nodes, served by one thread; a context manager.

    `brokers` are those for replication, `clients` those for clients, `controllers` those through
    which nodes reach a controller, each by node. The code that creates the cluster calls `open`,
    and says to where each proxy leads.
    """

    def __init__(
        self,
        brokers: Sequence[int],
        *,
        clients: bool = False,
        controllers: Sequence[int] = (),
        answers: bool = False,
    ) -> None:
        """Plan a proxy for each broker's replication.

        `clients`: another one for its clients. `controllers`: one for each of these, through which
        all nodes reach it. `answers`: whether single answers may be acted on.
        """
        pairs = [*combinations((*brokers, *controllers), 2)]
        pairs += [(one, CLIENTS) for one in brokers if clients]
        rules = {frozenset(pair): LinkRule() for pair in pairs}

        def proxies(nodes: Sequence[int], ids: re.Pattern[bytes] | None) -> dict[int, Proxy]:
            return {node: Proxy(node, rules, ids, [] if answers else None) for node in nodes}

        self._rules = rules
        self.brokers = proxies(brokers, FOLLOWER)
        self.clients = proxies(brokers if clients else (), None)
        self.controllers = proxies(controllers, _NODE)
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

    def begin_answers(self, node: int, rule: AnswerRule, *, to_clients: bool) -> None:
        """Act by a rule on a node's answers to clients or to other nodes."""
        proxies = self.clients if to_clients else {**self.brokers, **self.controllers}
        if (rules := proxies[node].answers) is not None:
            rules.append(rule)

    def end_answers(self, rule: AnswerRule) -> None:
        self._do(rule.end())

    def treat(self, one: int, other: int, treatment: Treatment) -> None:
        """Apply a treatment to the traffic between two nodes, or a node and its clients."""
        self._do(self._rules[frozenset((one, other))].change(treatment))

    def free(self, one: int, other: int) -> None:
        """Let all traffic between two nodes pass, beginning with what was delayed."""
        self.treat(one, other, FREE)

    def passed(self, sender: int, receiver: int) -> Passed:
        """Return the counts of what one node sent to another one under the current treatment."""
        return self._rules[frozenset((sender, receiver))].passed((sender, receiver))

    def _close_all(self) -> None:
        for proxy in self._all():
            self._do(proxy.close())

    def _all(self) -> list[Proxy]:
        every = (self.brokers, self.clients, self.controllers)
        return [proxy for proxies in every for proxy in proxies.values()]

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_ANSWERS_WITHIN_S)
