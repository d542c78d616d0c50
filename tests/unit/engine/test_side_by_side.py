"""The arms of a matrix as processes: how many at a time, their progress, how they are stopped."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from insync.engine.scenarios import SideBySide
from insync.engine.worker import Task, ended_of
from insync.progress import Progress
from unit.engine.cells import cell

Work = Callable[[str], object]
HEAD = f"""#!{sys.executable}
import json, os, signal, sys, time
task = sys.argv[3]
arm = json.load(open(task))["cells"][0]["arm"]
progress = open(task.replace(".json", ".progress.jsonl"), "a", buffering=1)
def tell(**line): progress.write(json.dumps(line) + "\\n")
def await_file(path):
    until = time.monotonic() + 60
    while not os.path.exists(path):
        if time.monotonic() > until:
            sys.exit("no " + path)
        time.sleep(0.02)
"""


class RecordedProgress(Progress):
    """Records what is reported; makes the file `go` when a phase has `words` so many times."""

    def __init__(self, go: Path, words: str, times: int) -> None:
        self.phases: list[str] = []
        self.repeats = 0
        self._go, self._words, self._times = go, words, times

    def phase(self, text: str) -> None:
        self.phases.append(text)
        if text.count(self._words) == self._times:
            self._go.touch()

    def repeat_done(self) -> None:
        self.repeats += 1


def tasks(folder: Path, *arms: str, kafka: str = "4.3.1", waits: bool = False) -> list[Task]:
    """Return tasks of a run whose record is open already."""
    out = folder / kafka / "freeze"
    out.mkdir(parents=True)
    (out / "run.json").touch()
    cells = [cell("freeze", out, arm, kafka=kafka) for arm in arms]
    return [Task(cells=(each,), folder=folder / kafka, waits=waits) for each in cells]


def ended(folder: Path, *arms: str, kafka: str = "4.3.1") -> set[tuple[Path, str]]:
    return {(folder / kafka / "freeze", arm) for arm in arms}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """Return what replaces `python -m insync.engine.worker TASK` by HEAD and a script."""
    path = tmp_path / "worker"
    path.touch(0o755)
    monkeypatch.setattr(sys, "executable", str(path))
    return lambda script: path.write_text(HEAD + script)


def test_arms_run_a_few_at_a_time_and_their_progress_is_read(tmp_path: Path, work: Work) -> None:
    work(f"""
mine = {str(tmp_path)!r} + "/running-" + arm
open(mine, "w").close()
there = [name for name in os.listdir({str(tmp_path)!r}) if name.startswith("running-")]
tell(phase=f"freeze (1 of 1), {{len(there)}} at once")
await_file({str(tmp_path / "go")!r})
tell(repeat_done=True)
tell(ended="freeze")
os.unlink(mine)
""")
    progress = RecordedProgress(tmp_path / "go", "at once", 2)
    asked = tasks(tmp_path, "stock", "off", "read")
    assert SideBySide(asked, (), progress).run(2) == []
    assert ended_of(asked) == ended(tmp_path, "stock", "off", "read")
    assert progress.repeats == 3
    assert not any("3 at once" in phase for phase in progress.phases)
    assert any("stock" in phase and "off" in phase for phase in progress.phases)


def test_the_next_version_starts_while_the_last_arms_of_the_previous_one_run(
    tmp_path: Path, work: Work
) -> None:
    work(f"""
version = json.load(open(task))["cells"][0]["kafka"]
open(os.path.join({str(tmp_path)!r}, "began-" + version), "w").close()
tell(phase="freeze (1 of 1)")
if arm == "off":  # The last one of the old version waits for the first of the new one.
    await_file({str(tmp_path / "began-4.3.1")!r})
tell(ended="freeze")
""")
    both = [*tasks(tmp_path, "stock", "off", kafka="1.1.0"), *tasks(tmp_path, "stock")]
    assert SideBySide(both, (), Progress()).run(2) == []
    assert ended_of(both) == {
        *ended(tmp_path, "stock", "off", kafka="1.1.0"), *ended(tmp_path, "stock")
    }  # fmt: skip
    for kafka in ("1.1.0", "4.3.1"):
        assert (tmp_path / kafka / "tasks" / "stock.json").is_file()


def test_a_cluster_starts_after_earlier_ones_are_up(tmp_path: Path, work: Work) -> None:
    work(f"""
mine = {str(tmp_path)!r} + "/starting-" + arm
open(mine, "w").close()
time.sleep(0.3)
starting = [name for name in os.listdir({str(tmp_path)!r}) if name.startswith("starting-")]
os.unlink(mine)
tell(phase=f"freeze (1 of 1), {{len(starting)}} starting")
await_file({str(tmp_path / "go")!r})
tell(ended="freeze")
""")
    progress = RecordedProgress(tmp_path / "go", "1 starting", 3)
    assert SideBySide(tasks(tmp_path, "stock", "off", "read"), (), progress).run(3) == []
    assert not any("2 starting" in phase for phase in progress.phases)


def test_tasks_that_wait_for_others_begin_when_all_are_up(tmp_path: Path, work: Work) -> None:
    work("""
go = task.replace(".json", ".go")
if os.path.exists(go):
    sys.exit("let go before its cluster was up")
if arm == "read":
    sys.exit("insync: 4.3.1 read: InsyncError: broker 1 did not start")
tell(phase="waiting")
await_file(go)
tell(ended="freeze")
""")
    waiting = tasks(tmp_path, "stock", "off", "read", waits=True)
    waiting[0].go.parent.mkdir()
    waiting[0].go.touch()  # an interrupted recording left it
    (wrong,) = SideBySide(waiting, (), Progress()).run(3)
    assert wrong.startswith("4.3.1 read: ")
    assert "broker 1 did not start" in wrong, "the others do not wait"
    assert ended_of(waiting) == ended(tmp_path, "stock", "off")


def test_on_an_interrupt_the_arms_end_in_order_and_their_last_progress_is_read(
    tmp_path: Path, work: Work
) -> None:
    work("""
def stop(*_):
    tell(ended="freeze")
    sys.exit(3)
signal.signal(signal.SIGTERM, stop)
tell(phase=f"pid {os.getpid()}")
signal.pause()
""")

    phases: list[str] = []

    class Interrupting(Progress):
        def phase(self, text: str) -> None:
            phases.append(text)
            if text.count("pid") == 2:
                raise KeyboardInterrupt(signal.SIGINT.name)

    asked = tasks(tmp_path, "stock", "off")
    with pytest.raises(KeyboardInterrupt):
        SideBySide(asked, (), Interrupting()).run(2)
    assert ended_of(asked) == ended(tmp_path, "stock", "off")
    pids = [int(word) for word in phases[-1].replace("|", " ").split() if word.isdigit()]
    assert len(pids) == 2
    assert not any(psutil.pid_exists(pid) for pid in pids)
