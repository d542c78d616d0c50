"""The arms of a matrix as processes: how many at a time, what they tell, how they are stopped."""

import signal
import sys
import time
from pathlib import Path

import psutil
import pytest

from insync.matrix.side_by_side import SideBySide
from insync.matrix.task import Part, Task
from insync.run.watch import Unwatched

HEAD = f"""#!{sys.executable}
import json, os, signal, sys, time
task = sys.argv[3]
arm = json.load(open(task))["arm"]
told = open(task.replace(".json", ".progress.jsonl"), "a", buffering=1)
def tell(**line): told.write(json.dumps(line) + "\\n")
"""


class Heard(Unwatched):
    """A Watch that keeps what it hears."""

    def __init__(self) -> None:
        self.phases: list[str] = []
        self.repeats = 0

    def phase(self, text: str) -> None:
        """Keep it."""
        self.phases.append(text)

    def repeat_done(self) -> None:
        """Count it."""
        self.repeats += 1


def tasks(folder: Path, *arms: str) -> list[Task]:
    part = Part(scenario="freeze", out=folder / "freeze")
    return [
        Task(kafka="4.3.1", arm=arm, repeats=1, seed=1, home=folder / arm, parts=(part,))
        for arm in arms
    ]


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a script in the place of `python -m insync.matrix.worker TASK`; returns its path."""
    path = tmp_path / "worker"
    path.touch(0o755)
    monkeypatch.setattr(sys, "executable", str(path))
    return path


def test_all_arms_run_a_few_at_a_time_and_are_heard(tmp_path: Path, script: Path) -> None:
    script.write_text(
        HEAD
        + f"""
mine = {str(tmp_path)!r} + "/running-" + arm
open(mine, "w").close()
there = [name for name in os.listdir({str(tmp_path)!r}) if name.startswith("running-")]
tell(phase=f"freeze (1 of 1), {{len(there)}} at once")
time.sleep(0.3)
tell(repeat_done=True)
tell(ended="freeze")
os.unlink(mine)
"""
    )
    watch = Heard()
    arms = SideBySide(tmp_path, watch)
    assert arms.run(tasks(tmp_path, "stock", "off", "read"), 2) == []
    assert arms.ended == {arm: {"freeze"} for arm in ("stock", "off", "read")}
    assert watch.repeats == 3
    assert not any("3 at once" in phase for phase in watch.phases)
    assert any("stock" in phase and "off" in phase for phase in watch.phases)


def test_an_arm_that_could_not_go_on_is_told_and_the_others_go_on(
    tmp_path: Path, script: Path
) -> None:
    script.write_text(
        HEAD
        + """
if arm == "off":
    print("insync: 4.3.1 off: InsyncError: broker 1 did not start", file=sys.stderr)
    sys.exit(3)
tell(ended="freeze")
"""
    )
    arms = SideBySide(tmp_path, Unwatched())
    wrong = arms.run(tasks(tmp_path, "stock", "off"), 1)
    assert len(wrong) == 1
    assert wrong[0].startswith("4.3.1 off: ")
    assert "broker 1 did not start" in wrong[0]
    assert arms.ended == {"stock": {"freeze"}, "off": set()}


def test_on_an_interrupt_the_arms_are_stopped_in_order_and_heard_once_more(
    tmp_path: Path, script: Path
) -> None:
    script.write_text(
        HEAD
        + """
def stop(*_):
    tell(ended="freeze")
    sys.exit(3)
signal.signal(signal.SIGTERM, stop)
tell(phase=f"pid {os.getpid()}")
signal.pause()
"""
    )

    class Interrupting(Heard):
        def phase(self, text: str) -> None:
            super().phase(text)
            if text.count("pid") == 2:
                raise KeyboardInterrupt(signal.SIGINT.name)

    watch = Interrupting()
    arms = SideBySide(tmp_path, watch)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        arms.run(tasks(tmp_path, "stock", "off"), 2)
    assert time.monotonic() - begun < 20
    assert arms.ended == {"stock": {"freeze"}, "off": {"freeze"}}
    pids = [int(word) for word in watch.phases[-1].replace("|", " ").split() if word.isdigit()]
    assert len(pids) == 2
    assert not any(psutil.pid_exists(pid) for pid in pids)
