"""The protocol with the JVM of the Java clients, against a process that plays its part."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from insync.errors import InsyncError
from insync.workload.java import Driver, JavaClients
from insync.workload.plan import WorkloadPlan
from unit.workload.plans import BASE

PLAN = replace(BASE, partitions=range(2), rate=30, client="both")

PLAYED = """
import sys
print("ready", flush=True)
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if line.startswith("read "):
        print(READ.pop(0) if READ[1:] else READ[0], flush=True)
    for answer in ANSWERS.get(word, []):
        print(answer, flush=True)
"""
ANSWERS = {
    "open": ["opened"],
    "start": ["started", 'produce {"v":1}', "acked"],
    "late": ["late 250"],
    "stop": ['produce {"v":2}', "stopped"],
    "reread": ["rereading"],
    "close": ["closed"],
}


class Played:
    """A process that answers commands with fixed lines, and what was written and reported.

    It gives one answer of `read` after the other to that command, the last one again and again.
    """

    def __init__(self, answers: dict[str, list[str]], *read: str) -> None:
        script = f"ANSWERS = {answers!r}\nREAD = {[*read]!r}\n{PLAYED}"
        self.process = subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.written: list[bytes] = []
        self.failures: list[BaseException] = []
        self.failed = threading.Event()
        self.driver = Driver(self.process, "its.log")

    def clients(self, plan: WorkloadPlan = PLAN) -> JavaClients:
        return JavaClients(self.driver, plan, {"produce": self.written.append}, self._fail)

    def _fail(self, error: BaseException) -> None:
        self.failures.append(error)
        self.failed.set()

    def end(self) -> None:
        self.driver.close()
        self.process.kill()
        self.process.wait(10)


@pytest.fixture
def played() -> Iterator[list[Played]]:
    """Return a list; the processes that a test puts into it end with the test."""
    made: list[Played] = []
    yield made
    for each in made:
        each.end()


def test_a_workload_goes_through_its_steps_and_every_line_is_written_before_the_end(
    played: list[Played],
) -> None:
    played.append(Played(ANSWERS, "read 0:7,1:9 none"))
    for _ in range(2):  # one JVM runs one workload after the other
        clients = played[0].clients()
        clients.start()
        clients.await_acks(10)
        assert clients.late_ms() == 250
        clients.stop()
        clients.await_stopped()
        reader = clients.reader(fresh=True)
        reader.read_to({0: 7, 1: 9}, 10)
        assert reader.positions == {0: 7, 1: 9}
        lines = list(reader.read_back())
        assert [(line.consumer, line.fresh, line.position) for line in lines] == [
            (1, True, 7), (1, True, 9),
        ]  # fmt: skip
        clients.close()
    assert played[0].written == [b'{"v":1}\n', b'{"v":2}\n'] * 2
    assert not played[0].failures


def test_a_read_that_stays_short_says_how_far_it_came_and_why(played: list[Played]) -> None:
    played.append(Played(ANSWERS, "short 0:7,1:3 OFFSET_OUT_OF_RANGE: no such offset"))
    reader = played[0].clients().reader()
    with pytest.raises(InsyncError, match=r"\{0: 7, 1: 3\} of .* OFFSET_OUT_OF_RANGE: no such"):
        reader.read_to({0: 7, 1: 9}, 10)
    assert reader.positions == {0: 7, 1: 3}


def test_a_reader_that_goes_on_reading_is_waited_for(played: list[Played]) -> None:
    short = ("short 0:2,1:0 none", "short 0:5,1:0 none", "short 0:7,1:3 none")
    played.append(Played(ANSWERS, *short, "read 0:7,1:9 none"))
    reader = played[0].clients().reader()
    reader.read_to({0: 7, 1: 9}, 10)
    assert reader.positions == {0: 7, 1: 9}


def test_a_failed_client_is_reported_at_once_and_in_every_wait(played: list[Played]) -> None:
    played.append(Played({**ANSWERS, "start": ["failed IllegalState: no"]}, ""))
    clients = played[0].clients()
    with pytest.raises(InsyncError, match=r"Java clients: IllegalState: no, see its\.log"):
        clients.start()
    assert played[0].failed.wait(10)
    with pytest.raises(InsyncError, match="IllegalState"):
        clients.await_acks(10)


def test_a_jvm_that_ends_is_a_failure(played: list[Played]) -> None:
    played.append(Played(ANSWERS, ""))
    clients = played[0].clients()
    played[0].process.kill()
    assert played[0].failed.wait(10)
    with pytest.raises(InsyncError, match="Java clients: ended"):
        clients.start()


def test_an_answer_that_does_not_come_names_what_was_expected(played: list[Played]) -> None:
    played.append(Played({"open": ["opened"]}, ""))
    with pytest.raises(InsyncError, match="no answer 'acked' within 0 s"):
        played[0].clients().await_acks(0.1)


def test_a_consumer_beside_the_only_producer_waits_for_no_ack(played: list[Played]) -> None:
    played.append(Played({"open": ["opened"], "start": ["started"]}))
    clients = played[0].clients(replace(PLAN, partitions=range(1)))
    clients.start()
    clients.await_acks(0.1)


def test_the_answers_and_commands_are_those_of_the_java_program() -> None:
    folder = Path(__file__).parents[3] / "plugin-java/clients/src/main/java/insync/clients"
    source = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.java"))
    for command, answers in ANSWERS.items():
        assert f'case "{command}"' in source
        for word in (answer.split()[0] for answer in answers):
            assert f'"{word}"' in source, word
