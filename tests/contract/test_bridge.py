"""The Python side of bridge/contract/bridge-api.json, against the Java bridge over a fake broker.

The Java side of the same file is BridgeContractTest.
"""

import dataclasses
import json
import random
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from py4j.java_gateway import java_import
from py4j.protocol import Py4JError

from insync.errors import InputError
from insync_bridge import (
    BridgeClient,
    BridgeError,
    Connection,
    ConnectionFileError,
    Counters,
    Fetchers,
    HoldState,
    PartitionState,
)
from processes import ROOT, class_path, jvm_with_bridge
from waiting import wait_for

GOLDEN = ROOT / "bridge" / "contract" / "bridge-api.json"
CLASS_PATH = ROOT / "bridge" / "java" / "build" / "contract.classpath"


@pytest.fixture(scope="module")
def contract() -> dict[str, Any]:
    return dict(json.loads(GOLDEN.read_text(encoding="utf-8")))


def server(file: Path) -> list[str]:
    """Return the options of a JVM for a bridge whose broker answers with the golden file."""
    jars = class_path(CLASS_PATH, ":bridge:contractClassPath")
    return ["-cp", jars, "insync.bridge.NarrowServer", str(GOLDEN), str(file)]


@pytest.fixture(scope="module")
def connection_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Start a bridge; return its connection file, which it removes when it ends."""
    file = tmp_path_factory.mktemp("bridge") / "bridge-1.json"
    with jvm_with_bridge(server(file), file):
        yield file
    assert not file.exists()


def test_answers_arrive_typed_and_whole(connection_file: Path, contract: dict[str, Any]) -> None:
    golden = contract["answers"]
    with BridgeClient.connect(connection_file) as broker:
        assert broker.broker_id() == 1
        assert broker.broker_version() == "4.3.1"
        assert broker.settings() == golden["settings"]
        assert broker.led_partitions() == [("events", 0), ("events", 1)]
        assert {f.name for f in dataclasses.fields(Counters)} == set(golden["counters"])
        counters = broker.counters()
        assert counters.errors == 0
        step_downs = golden["counters"]["step_downs"]
        assert {f.name for f in dataclasses.fields(counters.step_downs)} == set(step_downs)
        assert set(counters.step_downs.withheld_by) == set(step_downs["withheld_by"])
        partition = broker.replicas("events", 0)
        assert partition == PartitionState.of(golden["replicas"])
        assert partition.replicas[1].pending[0].age_ms == 25000
        assert broker.replicas("other", 0) is None
        own = broker.own_replica("events", 0)
        assert own is not None and dataclasses.asdict(own) == golden["ownReplica"]
        assert broker.own_replica("other", 0) is None
        states = {f.name for f in dataclasses.fields(HoldState)}
        assert states == set(golden["holds"]["leader-read"])
        assert broker.fetchers() == Fetchers.of(golden["fetchers"])


def test_a_followers_state_has_the_five_items_of_the_kip(contract: dict[str, Any]) -> None:
    follower = PartitionState.of(contract["answers"]["replicas"]).replicas[1]
    assert (follower.log_start_offset, follower.leo, follower.last_fetch_leader_leo) == (
        100, 1002, 1100,
    )  # fmt: skip
    assert (follower.last_fetch_ms, follower.last_caught_up_ms) == (1700000000500, 1700000000000)


def test_fields_of_a_later_agent_are_left_out(contract: dict[str, Any]) -> None:
    """Fields may be added to an answer without a new version of the contract."""
    golden = contract["answers"]["replicas"]
    replicas = [{**replica, "later": 1} for replica in golden["replicas"]]
    later = {**golden, "later": 1, "replicas": replicas}
    assert PartitionState.of(later) == PartitionState.of(golden)


def test_no_thread_can_be_stopped_where_no_pause_points_are_woven_in(connection_file: Path) -> None:
    with BridgeClient.connect(connection_file) as broker:
        with pytest.raises(BridgeError, match="pause-points=on"):
            broker.hold("leader-read", max_ms=1_000)
        broker.release("leader-read")
        assert broker.holds() == {}


def test_only_the_interface_can_be_called(connection_file: Path) -> None:
    with BridgeClient.connect(connection_file) as broker:
        for method in ("getClass", "wait", "hashCode", "toString"):
            with pytest.raises(BridgeError, match="not part of the bridge"):
                broker._call(method)
        jvm = broker._gateway.jvm
        with pytest.raises(Py4JError):
            jvm.java.lang.System.getProperty("user.dir")
        with pytest.raises(Py4JError):
            jvm.java.util.ArrayList()
        with pytest.raises(Py4JError, match="not part of the bridge"):
            java_import(jvm, "java.lang.Runtime")
        with pytest.raises(Py4JError, match="not part of the bridge"):
            broker._gateway.new_array(jvm.java.lang.String, 1 << 30)
        assert broker.broker_id() == 1, "the connection still works after refusals"


PLAIN_CALLS = [
    "c\nt\nnoSuchMethod\ne\n",
    "c\nt\nbrokerId\ni1\ne\n",
    "c\nt\ngetClass\ne\n",
    "c\no0\nbrokerId\ne\n",
    "c\nz:java.lang.System\nexit\ni1\ne\n",
    "r\nu\njava.lang.Runtime\nrj\ne\n",
    "r\nm\nz:java.lang.Runtime\ngetRuntime\ne\n",
    "j\ni\nrj\njava.lang.*\ne\n",
    "i\njava.lang.ProcessBuilder\ne\n",
    "f\ng\nt\ntarget\ne\n",
    "d\nf\nt\ne\n",
    "a\nc\nbyte\ni2147483647\ne\n",
    "S\nt\nsettings\ne\n",
    "s\ne\n",
]
"""Commands of py4j's protocol: calls, reflection, imports, constructors, fields, arrays, a stop."""


@pytest.mark.parametrize("command", PLAIN_CALLS, ids=lambda command: command.replace("\n", " "))
def test_a_command_of_the_protocol_with_the_right_token_is_refused_by_name(
    connection_file: Path, command: str
) -> None:
    """The same connection is then answered, so a refusal reads the whole command."""
    with authenticated(connection_file) as client:
        lines = client.makefile("rb")
        client.sendall(command.encode())
        answer = lines.readline()
        assert answer.startswith(b"!xs"), answer
        assert b"expected" in answer
        client.sendall(b"c\nt\nbrokerId\ne\n")
        assert lines.readline() == b"!yi1\n"


def authenticated(connection_file: Path) -> socket.socket:
    """Return a connection on which the token was accepted."""
    token = json.loads(connection_file.read_text())["token"]
    client = socket.create_connection(address(connection_file), timeout=60)
    client.sendall(f"A\n{token}\n".encode())
    assert client.recv(16) == b"!yv\n"
    return client


def test_clients_that_stop_in_the_middle_of_a_call_hold_nobody_up(connection_file: Path) -> None:
    """Half-open connections after the token: some are silent, some end without their last line."""
    with ExitStack() as half_open:
        for number in range(20):
            client = half_open.enter_context(authenticated(connection_file))
            client.sendall(b"c\nt\nbrok" if number % 2 else b"c\n")
            if number % 4 == 0:
                client.shutdown(socket.SHUT_WR)
        with BridgeClient.connect(connection_file) as broker:
            assert broker.broker_id() == 1
    with BridgeClient.connect(connection_file) as broker:
        assert broker.broker_id() == 1


def test_an_error_in_the_broker_arrives_as_a_message(connection_file: Path) -> None:
    with (
        BridgeClient.connect(connection_file) as broker,
        pytest.raises(BridgeError, match="planted failure") as refused,
    ):
        broker.replicas("boom", 0)
    assert "\n" not in str(refused.value)
    assert not isinstance(refused.value, InputError)  # nobody's input was wrong


def test_nothing_is_answered_without_the_token(connection_file: Path, tmp_path: Path) -> None:
    fields = json.loads(connection_file.read_text())
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps({**fields, "token": "guessed"}))
    with pytest.raises(BridgeError) as refused:
        BridgeClient.connect(wrong)
    assert "guessed" not in str(refused.value)
    with socket.create_connection((fields["host"], fields["port"]), timeout=60) as bare:
        bare.sendall(b"c\nt\nbrokerId\ne\n")
        assert b"i1" not in bare.recv(1024)


def address(connection_file: Path) -> tuple[str, int]:
    fields = json.loads(connection_file.read_text())
    return fields["host"], fields["port"]


def refused(connection_file: Path) -> int:
    with BridgeClient.connect(connection_file) as broker:
        return broker.counters().bridge_refused


def ends(client: socket.socket) -> bool:
    """Return whether the server ends the connection; it may say that there is an error."""
    try:
        return len(client.makefile("rb").read()) < 100
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"x" * (1 << 20), b"A\n"], ids=["a long line", "no token"])
def test_a_client_that_says_anything_but_a_token_is_disconnected(
    connection_file: Path, sent: bytes
) -> None:
    before = refused(connection_file)
    with socket.create_connection(address(connection_file), timeout=30) as client:
        with suppress(ConnectionError):
            client.sendall(sent)
        assert ends(client)
    assert refused(connection_file) == before + 1


def test_connections_beyond_the_bound_are_closed_and_others_answered(connection_file: Path) -> None:
    with ExitStack() as half_open:
        with BridgeClient.connect(connection_file) as broker:
            clients = [
                half_open.enter_context(socket.create_connection(address(connection_file), 30))
                for _ in range(100)
            ]
            seen = wait_for(broker.counters, lambda counters: counters.bridge_refused >= 60)
        assert seen.bridge_refused < len(clients) + 60
        for client in clients:
            assert ends(client), "the others send no token"
    assert BridgeClient.connect(connection_file).broker_id() == 1


def test_malformed_frames_leave_the_bridge_as_it_is(connection_file: Path) -> None:
    """Each begins as a command of py4j's, so most of them are read to their end and answered."""
    generator = random.Random(7)  # noqa: S311 - the same frames each time
    answers = 0
    for _ in range(200):
        # The bridge may end the connection first; then shutdown fails with ENOTCONN, an OSError.
        with authenticated(connection_file) as client, suppress(OSError):
            client.sendall(b"".join(malformed(generator) for _ in range(50)))
            client.shutdown(socket.SHUT_WR)
            answers += client.makefile("rb").read().count(b"!x")
    assert answers > 1_000
    with BridgeClient.connect(connection_file) as broker:
        assert broker.broker_id() == 1


def malformed(generator: random.Random) -> bytes:
    """Return a command's letter, up to five lines of anything, and mostly the end of a command."""
    words = [b"t", b"o1", b"brokerId", b"i1", b"sx", b"n", b"z:java.lang.System"]
    lines = [generator.choice([b"c", b"r", b"i", b"j", b"f", b"d", b"a", b"l", b"h", b"p", b"S"])]
    for _ in range(generator.randint(0, 5)):
        noise = generator.randbytes(generator.randint(0, 40)).replace(b"\n", b"")
        lines.append(generator.choice(words) if generator.random() < 0.7 else noise)
    return b"\n".join([*lines, b"e" if generator.random() < 0.98 else b"", b""])


def test_an_address_that_others_reach_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bridge-1.json"
    done = subprocess.run(
        ["java", "-Dinsync.bridge.address=0.0.0.0", *server(file)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "insync.bridge.address=0.0.0.0: expected a loopback address" in done.stderr
    assert not file.exists()


WHOLE = {"api_version": 3, "broker": 1, "host": "h", "port": 1, "pid": 1, "token": "t"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "expected the file"),
        ("{", "expected JSON"),
        ("[]", "expected JSON"),
        ("[" * 100_000, "expected JSON"),
        ('{"api_version": 3}', "broker"),
        (json.dumps({**WHOLE, "api_version": 1}), "expected 3"),
        (json.dumps({**WHOLE, "port": "x"}), "port"),
    ],
)
def test_a_bad_connection_file_is_one_line(tmp_path: Path, text: str | None, expected: str) -> None:
    file = tmp_path / "bridge.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ConnectionFileError, match=expected) as refused:
        Connection.read(file)
    assert isinstance(refused.value, InputError)
    assert "\n" not in str(refused.value)
    assert str(file) in str(refused.value)


def test_the_token_stays_out_of_what_is_printed(connection_file: Path) -> None:
    connection = Connection.read(connection_file)
    assert connection.token not in repr(connection)
