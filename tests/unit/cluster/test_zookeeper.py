"""ZooKeeper requests, on a fake server, and its transaction log: in order, cut, or damaged."""

import socket
import struct
import zlib
from pathlib import Path

import pytest

from insync.brokers.cluster.quorum.zookeeper_log import Znode, changes
from insync.brokers.cluster.ready import forget_broker, serves
from insync.errors import InsyncError
from unit.servers import Answers, Server, read


class ZooKeeper(Server):
    """Answers the requests of a session in turn."""

    def __init__(self, *answers: bytes) -> None:
        self.asked: list[bytes] = []
        self._answers = answers
        super().__init__()

    def serve(self, client: socket.socket) -> None:
        for answer in self._answers:
            (size,) = struct.unpack(">i", read(client, 4))
            self.asked.append(read(client, size))
            client.sendall(struct.pack(">i", len(answer)) + answer)


def forget(code: int) -> bytes:
    """Let broker 3 be forgotten, which the server answers with `code`; return the request."""
    deleted, closed = (struct.pack(">iqi", 1, 9, code), struct.pack(">iqi", 2, 10, 0))
    server = ZooKeeper(bytes(37), deleted, closed)
    forget_broker(server.address[1], 3)
    return server.asked[1]


@pytest.mark.parametrize("code", [0, -101])
def test_deleting_an_absent_registration_succeeds(code: int) -> None:
    assert forget(code) == (
        struct.pack(">iii", 1, 2, 14) + b"/brokers/ids/3" + struct.pack(">i", -1)
    )


def test_a_refusal_is_an_error() -> None:
    with pytest.raises(
        InsyncError, match=r"^zookeeper: cannot delete the registration of broker 3: error -102$"
    ):
        forget(-102)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"Zookeeper version: 3.4.10-39d3a4f\n", True),
        (b"This ZooKeeper instance is not currently serving requests\n", False),
        (b"Zoo", False),
        (b"", False),
    ],
)
def test_a_server_is_ready_when_it_answers_with_its_version(answer: bytes, expected: bool) -> None:
    server = Answers(answer)
    assert serves(server.port) is expected
    assert server.asked == [b"srvr"]


def test_without_a_listener_it_is_not_ready_and_nothing_can_be_deleted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert not serves(port)
    with pytest.raises(InsyncError, match=r"cannot delete the registration of broker 3: .*refused"):
        forget_broker(port, 3)


HEADER = b"ZKLG" + struct.pack(">iq", 2, 0)
CREATE, DELETE, SET, CREATE2, MULTI, CLOSE, OPEN = 1, 2, 5, 15, 14, -11, -10


def text(value: str | bytes) -> bytes:
    content = value.encode() if isinstance(value, str) else value
    return struct.pack(">i", len(content)) + content


def create(path: str, data: bytes, *, ephemeral: bool = False) -> bytes:
    may = struct.pack(">ii", 1, 31) + text("world") + text("anyone")
    return text(path) + text(data) + may + bytes([ephemeral]) + struct.pack(">i", 7)


def set_data(path: str, data: bytes) -> bytes:
    return text(path) + text(data) + struct.pack(">i", 3)


def record(time_ms: int, kind: int, body: bytes, *, session: int = 5) -> bytes:
    transaction = struct.pack(">qiqqi", session, 1, 1, time_ms, kind) + body
    return struct.pack(">q", zlib.adler32(transaction)) + text(transaction) + b"B"


def written(folder: Path, *records: bytes, name: str = "log.1", padding: int = 64) -> Path:
    (folder / name).write_bytes(HEADER + b"".join(records) + bytes(padding))
    return folder


FIRST = record(1000, CREATE, create("/a", b"1"))
SECOND = record(2000, SET, set_data("/a", b"2"))
DAMAGED = FIRST[:-9] + b"x" + FIRST[-8:]


def test_every_kind_of_change_with_its_time_and_session(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        record(900, OPEN, struct.pack(">i", 9000)),
        FIRST,
        SECOND,
        record(3000, CREATE2, create("/own", b"", ephemeral=True), session=-6),
        record(4000, DELETE, text("/a")),
        record(5000, CLOSE, b"", session=-6),
    )
    assert list(changes(folder)) == [
        Znode(1000, 5, "/a", b"1"),
        Znode(2000, 5, "/a", b"2"),
        Znode(3000, -6, "/own", b"", ephemeral=True),
        Znode(4000, 5, "/a"),
        Znode(5000, -6, None),
    ]


def test_the_changes_within_one_transaction(tmp_path: Path) -> None:
    parts = (DELETE, text("/old")), (SET, set_data("/läuft", b"2"))
    body = b"".join(struct.pack(">i", kind) + text(content) for kind, content in parts)
    folder = written(tmp_path, record(1000, MULTI, struct.pack(">i", 2) + body))
    assert list(changes(folder)) == [Znode(1000, 5, "/old"), Znode(1000, 5, "/läuft", b"2")]


def test_a_node_without_content_is_not_a_deleted_one(tmp_path: Path) -> None:
    body = text("/a") + struct.pack(">ii", -1, 0) + b"\0" + struct.pack(">i", 0)
    assert list(changes(written(tmp_path, record(1, CREATE, body)))) == [Znode(1, 5, "/a", b"")]


def test_files_are_read_in_order_of_their_number(tmp_path: Path) -> None:
    for name, at in (("log.1", 1), ("log.9", 2), ("log.1a", 3)):
        written(tmp_path, record(at, DELETE, text("/a")), name=name)
    (tmp_path / "snapshot.0").write_bytes(b"not a log")
    assert [change.time_ms for change in changes(tmp_path)] == [1, 2, 3]


@pytest.mark.parametrize("padding", [0, 64])
def test_a_truncated_last_record_is_ignored(tmp_path: Path, padding: int) -> None:
    for size in range(len(SECOND)):
        folder = written(tmp_path, FIRST, SECOND[:size], padding=padding)
        assert [change.data for change in changes(folder)] == [b"1"], size


def test_a_file_with_only_a_header_is_ignored(tmp_path: Path) -> None:
    written(tmp_path, FIRST)
    (tmp_path / "log.2").write_bytes(HEADER[:7])
    assert len(list(changes(tmp_path))) == 1


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ([HEADER + DAMAGED + SECOND], r"unreadable record at byte 16 of .*log\.1"),
        ([HEADER + FIRST[:-3], HEADER + SECOND], "unreadable record at byte 16"),
        ([], "no files in"),
        ([b"ZKLG" + struct.pack(">iq", 3, 0)], "not a transaction log of version 2"),
    ],
    ids=["damaged before the end", "truncated before the last file", "no files", "version 3"],
)
def test_what_is_no_log_to_its_end_is_an_error(
    tmp_path: Path, files: list[bytes], problem: str
) -> None:
    for number, content in enumerate(files, 1):
        (tmp_path / f"log.{number}").write_bytes(content + bytes(64))
    with pytest.raises(InsyncError, match=problem):
        list(changes(tmp_path))
