"""Read the changes in a ZooKeeper server's transaction log.

ZooKeeper's TxnLogToolkit (3.5.9) prints times only to the second and fails at the first node
without content, so this module parses the files; the server may be running. A file is a header
followed by records (checksum, length, transaction, 'B'), then zeros, because ZooKeeper pads the
file. Knows nothing of Kafka.
"""

import json
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from insync.brokers.kafka.wire import Fields
from insync.errors import InsyncError

Line = dict[str, Any]
_KEYS = ("kind", "topic", "partition", "leader", "leader_epoch", "isr", "elr", "replicas",
         "adding", "broker", "fenced")  # fmt: skip


def line(arm: str, time_ms: int, **known: Any) -> Line:
    """Return one line with every key of isr.jsonl; a key that its kind does not have is null."""
    return {"v": 1, "arm": arm, "t_ms": float(time_ms), **{key: known.get(key) for key in _KEYS}}


_MAGIC, _VERSION = b"ZKLG", 2
_HEADER = struct.Struct(">4siq")
_RECORD = struct.Struct(">qi")
_END = b"B"
_TXN = "qiqqi"
_CREATES = (1, 15)
_DELETE, _SET, _MULTI, _CLOSE = 2, 5, 14, -11


@dataclass(frozen=True)
class Znode:
    """A node's new content, or its deletion if `data` is None.

    `session` made the change; an ephemeral node ends with the session that created it. The end
    of a session is a change without a path.
    """

    time_ms: int
    session: int
    path: str | None
    data: bytes | None = None
    ephemeral: bool = False


def changes(folder: Path) -> Iterator[Znode]:
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


def _changes(transaction: bytes) -> Iterator[Znode]:
    fields = Fields(transaction)
    session, _, _, time_ms, kind = fields.take(_TXN)
    if kind == _MULTI:
        for _ in range(fields.count()):
            part, content = fields.count(), fields.content("i") or b""
            yield from _change(time_ms, session, part, Fields(content))
    else:
        yield from _change(time_ms, session, kind, fields)


def _change(time_ms: int, session: int, kind: int, fields: Fields) -> Iterator[Znode]:
    if kind in _CREATES:
        path, data = _string(fields), fields.content("i")
        for _ in range(fields.count()):  # its access control list
            fields.count(), fields.content("i"), fields.content("i")
        (ephemeral,) = fields.take("?")
        yield Znode(time_ms, session, path, data or b"", ephemeral=ephemeral)
    elif kind == _SET:
        yield Znode(time_ms, session, _string(fields), fields.content("i") or b"")
    elif kind == _DELETE:
        yield Znode(time_ms, session, _string(fields))
    elif kind == _CLOSE:
        yield Znode(time_ms, session, None)


def _string(fields: Fields) -> str:
    return (fields.content("i") or b"").decode("utf-8")


CONTROLLER = "/controller"
_TOPIC = re.compile(r"/brokers/topics/([^/]+)")
_STATE = re.compile(r"/brokers/topics/([^/]+)/partitions/(\d+)/state")
_BROKER = re.compile(r"/brokers/ids/(\d+)")


def states(changes: Iterable[Znode], arm: str) -> Iterator[Line]:
    """Yield the lines of isr.jsonl for `changes`, in log order; `arm` goes into each.

    Raises InsyncError for a change that Kafka would not write.
    """
    history = _History(arm)
    for change in changes:
        try:
            yield from history.follow(change)
        except (KeyError, ValueError) as error:
            raise InsyncError(
                f"zookeeper log: {change.path} is {change.data!r}: {error!r}"
            ) from None


class _History:
    """The state after the changes so far."""

    def __init__(self, arm: str) -> None:
        self._arm = arm
        self._replicas: dict[str, dict[str, list[int]]] = {}
        self._adding: dict[str, dict[str, list[int]]] = {}
        self._session_of: dict[int, int] = {}

    def follow(self, change: Znode) -> Iterator[Line]:
        """Apply one change; yield the lines that result."""
        if change.path is None:
            yield from self._session_ended(change)
        elif found := _STATE.fullmatch(change.path):
            yield from self._partition(change, found[1], found[2])
        elif found := _BROKER.fullmatch(change.path):
            yield from self._broker(change, int(found[1]))
        elif (found := _TOPIC.fullmatch(change.path)) and change.data:
            assigned = json.loads(change.data)
            self._replicas[found[1]] = assigned["partitions"]
            self._adding[found[1]] = assigned.get("adding_replicas", {})

    def _partition(self, change: Znode, topic: str, index: str) -> Iterator[Line]:
        if change.data is None:
            return
        state = json.loads(change.data)
        known = {name: state[name] for name in ("leader", "leader_epoch", "isr")}
        yield line(
            self._arm, change.time_ms, kind="partition", topic=topic, partition=int(index), **known,
            replicas=self._replicas[topic][index], adding=self._adding[topic].get(index, []),
        )  # fmt: skip

    def _broker(self, change: Znode, broker: int) -> Iterator[Line]:
        if change.ephemeral:
            self._session_of[broker] = change.session
            yield self._fencing(change, broker, fenced=False)
        elif change.data is None and self._session_of.pop(broker, None) is not None:
            yield self._fencing(change, broker, fenced=True)

    def _session_ended(self, change: Znode) -> Iterator[Line]:
        gone = [who for who, session in self._session_of.items() if session == change.session]
        for broker in gone:
            del self._session_of[broker]
            yield self._fencing(change, broker, fenced=True)

    def _fencing(self, change: Znode, broker: int, *, fenced: bool) -> Line:
        return line(self._arm, change.time_ms, kind="broker", broker=broker, fenced=fenced)
