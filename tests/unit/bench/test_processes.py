"""The cost of a command is that of all its processes, also of those that it leaves behind."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from insync.bench.processes import Cost, watch

MEGABYTES = 60


def watched(folder: Path, *command: str, within_s: float = 60.0) -> Cost:
    with (folder / "output.txt").open("wb") as output:
        return watch(
            command, environment=os.environ, stdout=output, stderr=output, within_s=within_s
        )


def test_the_exit_code_and_the_output_are_the_commands(tmp_path: Path) -> None:
    cost = watched(tmp_path, "sh", "-c", "echo said; exit 3")
    assert cost.code == 3
    assert (tmp_path / "output.txt").read_text() == "said\n"


def test_a_short_commands_memory_is_not_missed(tmp_path: Path) -> None:
    cost = watched(tmp_path, sys.executable, "-c", f"len(bytearray({MEGABYTES} << 20))")
    assert cost.peak_bytes >= MEGABYTES << 20


def test_memory_of_processes_that_run_together_is_added(tmp_path: Path) -> None:
    """Each holds its memory until the other has it as well, and was looked at."""
    child = f"held = b'x' * ({MEGABYTES} << 20); print(flush=True); input()"
    script = (
        "import subprocess, sys, time\n"
        f"started = subprocess.Popen([sys.executable, '-c', {child!r}], text=True,\n"
        "    stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        f"held = b'x' * ({MEGABYTES} << 20)\n"
        "started.stdout.readline(); time.sleep(2); started.communicate('end')\n"
    )
    cost = watched(tmp_path, sys.executable, "-c", script)
    assert cost.code == 0, (tmp_path / "output.txt").read_text()
    assert cost.peak_bytes >= 2 * MEGABYTES << 20


def test_a_process_that_outlives_its_parent_is_waited_for_and_counts(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 0.5: pass\nopen('done', 'w')"
    script = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {burn!r}])"
    cost = watched(
        tmp_path, "sh", "-c", f'cd "{tmp_path}" && exec "$0" -c "$1"', sys.executable, script
    )
    assert cost.code == 0
    assert (tmp_path / "done").exists()
    assert cost.cpu_s >= 0.5


def test_a_command_that_hangs_is_ended_with_all_its_processes(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError, match=r"^took more than 2 s$"):
        watched(tmp_path, "sh", "-c", "echo $$; sleep 600 & sleep 600", within_s=2.0)
    leader = int((tmp_path / "output.txt").read_text())
    assert not [each for each in psutil.pids() if _session(each) == leader]


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None
