"""Child processes end with the harness, and their logs give the cause of a failure."""

import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from insync.brokers.kafka import process
from insync.errors import InputError, InsyncError
from processes import gone, harness
from waiting import wait_for

HARNESS = """
import os, pathlib, sys, time
from insync.brokers.kafka import process
folder = pathlib.Path(sys.argv[1])
child = process.start(["sleep", "600"], log=folder / "log", folder=folder, environment=os.environ)
piped = process.start(["sleep", "600"], log=folder / "log", folder=folder, piped=True)
print(child.pid, piped.pid, flush=True)
time.sleep(600)
"""


def sleeper(folder: Path) -> "subprocess.Popen[bytes]":
    return process.start(
        ["sleep", "600"], log=folder / "log", folder=folder, environment=os.environ
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_child_ends_with_a_killed_harness(tmp_path: Path, how: signal.Signals) -> None:
    with harness(HARNESS, str(tmp_path)) as (parent, children):
        assert len(children) == 2
        assert not any(map(gone, children))
        parent.send_signal(how)
    wait_for(lambda: all(map(gone, children)), bool)


def test_a_child_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    started: list[subprocess.Popen[bytes]] = []
    asker = threading.Thread(target=lambda: started.append(sleeper(tmp_path)))
    asker.start()
    asker.join()
    with pytest.raises(subprocess.TimeoutExpired):
        started[0].wait(0.3)
    process.kill(started)


def test_a_child_with_pipes_is_written_to_and_read_from(tmp_path: Path) -> None:
    child = process.start(
        ["sh", "-c", "read line; echo got $line; echo problem >&2"],
        log=tmp_path / "log", folder=tmp_path, piped=True,
    )  # fmt: skip
    out, _ = child.communicate(b"this\n", timeout=10)
    assert (out, (tmp_path / "log").read_text()) == (b"got this\n", "problem\n")


def test_a_child_has_its_own_session_and_is_killed_even_if_it_is_stopped(tmp_path: Path) -> None:
    child = sleeper(tmp_path)
    assert os.getsid(child.pid) == child.pid
    child.send_signal(signal.SIGSTOP)
    process.kill([child])
    assert child.returncode == -signal.SIGKILL
    process.kill([child])  # again: nothing to do


def test_a_missing_setpriv_gives_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"^setpriv: not on the PATH"):
        sleeper(tmp_path)


def test_a_command_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    with pytest.raises(InsyncError, match=r"sleep: not done in 0\.1 s"):
        process.run(["sleep", "600"], log=tmp_path / "log", folder=tmp_path, within_s=0.1)


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (
            "INFO starting\nERROR cannot (Kafka$)\na.b.ConfigException: bad\n\tat a.b.ErrorC.d\n",
            "ERROR cannot (Kafka$) | a.b.ConfigException: bad",
        ),
        ("one\ntwo\n", "one | two"),
        ("", "it printed nothing"),
    ],
)
def test_the_cause_of_a_failure_is_taken_from_the_log(tmp_path: Path, log: str, cause: str) -> None:
    (tmp_path / "log").write_text(log)
    assert process.complaint(tmp_path / "log") == cause
