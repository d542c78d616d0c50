"""Forward connections to one node in small chunks, each delayed by the rule of its link.

The proxy buffers only a few chunks per direction, and the kernel's receive buffer is small;
beyond that the senders' buffers fill up, as they do on a broken network.
"""

import asyncio
import re
import socket
import struct
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, cast

from insync.brokers.cluster.links.rules import Rule

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
