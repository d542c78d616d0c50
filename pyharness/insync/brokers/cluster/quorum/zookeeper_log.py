"""Read the changes in a ZooKeeper server's transaction log.

ZooKeeper's TxnLogToolkit (3.5.9) prints times only to the second and fails at the first node
without content, so this module parses the files; the server may be running. A file is a header
followed by records (checksum, length, transaction, 'B'), then zeros, because ZooKeeper pads the
file. Knows nothing of Kafka.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from insync.errors import InsyncError

_MAGIC, _VERSION = b"ZKLG", 2
_HEADER = struct.Struct(">4siq")
_RECORD = struct.Struct(">qi")
_END = b"B"
_TXN = struct.Struct(">qiqqi")
_CREATES = (1, 15)
_DELETE, _SET, _MULTI, _CLOSE = 2, 5, 14, -11


@dataclass(frozen=True)
class Change:
    """A node's new content, or its deletion if `data` is None.

    `session` made the change; an ephemeral node ends with the session that created it. The end
    of a session is a change without a path.
    """

    time_ms: int
    session: int
    path: str | None
    data: bytes | None = None
    ephemeral: bool = False


def changes(folder: Path) -> Iterator[Change]:
    """Yield all changes in the log `folder`, in order.

    An incomplete record at the end is left out. Raises InsyncError if there is no log or an
    earlier record is broken.
    """
    files = sorted(folder.glob("log.*"), key=lambda file: int(file.suffix[1:], 16))
    if not files:
        raise InsyncError(f"zookeeper log: no files in {folder}")
    for file in files:
        for transaction in _transactions(file, may_be_cut=file is files[-1]):
            yield from _changes(transaction)


def _transactions(file: Path, *, may_be_cut: bool) -> Iterator[bytes]:
    content = file.read_bytes()
    at = _HEADER.size
    if len(content) < at and may_be_cut:
        return
    if len(content) < at or _HEADER.unpack_from(content)[:2] != (_MAGIC, _VERSION):
        raise InsyncError(f"zookeeper log: {file}: not a transaction log of version {_VERSION}")
    written = len(content.rstrip(b"\0"))
    while at < written:
        found = _record(content, at)
        if found is None:
            if may_be_cut and not _any_after(content, at):
                return
            raise InsyncError(f"zookeeper log: unreadable record at byte {at} of {file}")
        yield found
        at += _RECORD.size + len(found) + len(_END)


def _record(content: bytes, at: int) -> bytes | None:
    """Return the transaction of the record at byte `at`; None if the record is incomplete."""
    if len(content) < at + _RECORD.size:
        return None
    checksum, length = _RECORD.unpack_from(content, at)
    begin = at + _RECORD.size
    transaction = content[begin : begin + max(length, 0)]
    whole = content[begin + length : begin + length + 1] == _END
    return transaction if whole and zlib.adler32(transaction) == checksum else None


def _any_after(content: bytes, at: int) -> bool:
    """Return whether data follows the record at byte `at`, which means it was once complete."""
    if len(content) < at + _RECORD.size:
        return False
    _, length = _RECORD.unpack_from(content, at)
    return any(content[at + _RECORD.size + max(length, 0) + len(_END) :])


def _changes(transaction: bytes) -> Iterator[Change]:
    session, _, _, time_ms, kind = _TXN.unpack_from(transaction)
    body = _Body(transaction[_TXN.size :])
    if kind == _MULTI:
        for _ in range(body.integer()):
            part, content = body.integer(), body.buffer() or b""
            yield from _change(time_ms, session, part, _Body(content))
    else:
        yield from _change(time_ms, session, kind, body)


def _change(time_ms: int, session: int, kind: int, body: "_Body") -> Iterator[Change]:
    if kind in _CREATES:
        path, data = body.string(), body.buffer()
        for _ in range(body.integer()):  # its access control list
            body.integer(), body.string(), body.string()
        yield Change(time_ms, session, path, data or b"", ephemeral=body.boolean())
    elif kind == _SET:
        yield Change(time_ms, session, body.string(), body.buffer() or b"")
    elif kind == _DELETE:
        yield Change(time_ms, session, body.string())
    elif kind == _CLOSE:
        yield Change(time_ms, session, None)


class _Body:
    """Reads the fields of a transaction in order."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def integer(self) -> int:
        return int.from_bytes(self._take(4), "big", signed=True)

    def boolean(self) -> bool:
        return self._take(1) != b"\0"

    def buffer(self) -> bytes | None:
        length = self.integer()
        return None if length < 0 else self._take(length)

    def string(self) -> str:
        return (self.buffer() or b"").decode("utf-8")

    def _take(self, count: int) -> bytes:
        taken = self._content[self._at : self._at + count]
        self._at += count
        return taken
