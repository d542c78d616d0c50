"""The protocol with the JVM of the Java clients, against a process that plays its part."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
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


Play = Callable[..., Played]


@pytest.fixture
def play() -> Iterator[Play]:
    """Return what starts such a process, which ends with the test."""
    with ExitStack() as stack:

        def start(answers: dict[str, list[str]], *read: str) -> Played:
            made = Played(answers, *read)
            stack.callback(made.end)
            return made

        yield start


def test_a_workload_goes_through_its_steps_and_every_line_is_written_before_the_end(
    play: Play,
) -> None:
    played = play(ANSWERS, "read 0:7,1:9 none")
    for _ in range(2):  # one JVM runs one workload after the other
        clients = played.clients()
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
    assert played.written == [b'{"v":1}\n', b'{"v":2}\n'] * 2
    assert not played.failures


def test_a_read_that_stays_short_says_how_far_it_came_and_why(play: Play) -> None:
    short = "short 0:7,1:3 OFFSET_OUT_OF_RANGE: no such offset"
    reader = play(ANSWERS, short).clients().reader()
    with pytest.raises(InsyncError, match=r"\{0: 7, 1: 3\} of .* OFFSET_OUT_OF_RANGE: no such"):
        reader.read_to({0: 7, 1: 9}, 10)
    assert reader.positions == {0: 7, 1: 3}


def test_a_reader_that_goes_on_reading_is_waited_for(play: Play) -> None:
    short = ("short 0:2,1:0 none", "short 0:5,1:0 none", "short 0:7,1:3 none")
    reader = play(ANSWERS, *short, "read 0:7,1:9 none").clients().reader()
    reader.read_to({0: 7, 1: 9}, 10)
    assert reader.positions == {0: 7, 1: 9}


def test_a_failed_client_is_reported_at_once_and_in_every_wait(play: Play) -> None:
    played = play({**ANSWERS, "start": ["failed IllegalState: no"]})
    clients = played.clients()
    with pytest.raises(InsyncError, match=r"Java clients: IllegalState: no, see its\.log"):
        clients.start()
    assert played.failed.wait(10)
    with pytest.raises(InsyncError, match="IllegalState"):
        clients.await_acks(10)


def test_a_jvm_that_ends_is_a_failure(play: Play) -> None:
    played = play(ANSWERS)
    clients = played.clients()
    played.process.kill()
    assert played.failed.wait(10)
    with pytest.raises(InsyncError, match="Java clients: ended"):
        clients.start()


def test_an_answer_that_does_not_come_names_what_was_expected(play: Play) -> None:
    with pytest.raises(InsyncError, match="no answer 'acked' within 0 s"):
        play({"open": ["opened"]}).clients().await_acks(0.1)


def test_a_consumer_beside_the_only_producer_waits_for_no_ack(play: Play) -> None:
    played = play({"open": ["opened"], "start": ["started"]})
    clients = played.clients(replace(PLAN, partitions=range(1)))
    clients.start()
    clients.await_acks(0.1)


def test_the_answers_and_commands_are_those_of_the_java_program() -> None:
    folder = Path(__file__).parents[3] / "plugin-java/clients/src/main/java/insync/clients"
    source = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.java"))
    for command, answers in ANSWERS.items():
        assert f'case "{command}"' in source
        for word in (answer.split()[0] for answer in answers):
            assert f'"{word}"' in source, word
