"""Runs the command on real brokers: KIP-501's case, and the memory of all its processes."""

import json
import subprocess
from pathlib import Path

import psutil
import pytest

from commands import start_insync
from event_lines import lines_of
from every_scenario import NEWEST
from processes import gone
from waiting import wait_for

MIB = 1 << 20


class Memory:
    """The largest resident sizes seen of a process and of its whole process tree, in MiB."""

    def __init__(self) -> None:
        self.harness = 0.0
        self.all = 0.0

    def sample(self, pid: int) -> bool:
        """Look once; true when the process has ended."""
        try:
            harness = psutil.Process(pid)
            tree = [harness, *harness.children(recursive=True)]
            sizes = [process.memory_info().rss / MIB for process in tree]
        except psutil.NoSuchProcess:
            return gone(pid)
        self.harness = max(self.harness, sizes[0])
        self.all = max(self.all, sum(sizes))
        return gone(pid)


@pytest.mark.long
def test_a_run_prints_the_verdict_of_its_folder_and_stays_small(tmp_path: Path) -> None:
    """The KIP's own case on the newest broker, and the memory of all its processes."""
    out, memory = tmp_path / "kip-501", Memory()
    options = ("--kafka", NEWEST, "--scale", "0.2", "--arms", "stock,request", "--repeat", "1")
    command = ("run", "kip-501", *options, "--out", out, "--json")
    with start_insync(*command, stdout=subprocess.PIPE) as run:
        wait_for(lambda: memory.sample(run.pid), bool, within_s=600)
        assert run.stdout is not None
        printed = run.stdout.read()
    assert run.returncode == 0, printed
    assert memory.harness <= 200, "the harness without Spark"
    assert memory.all <= 4096, "everything together"
    assert json.loads((out / "verdict.json").read_text()) == json.loads(printed)
    assert not list((out / "nodes").glob("*/*/data")), "nobody needs the data of a pass"
    counters = lines_of(out, "request", "counters.jsonl")
    leader = [line for line in counters if line["broker"] == 1]
    held_ms = max(line["longest_hold_ms"] for line in leader)
    assert held_ms >= 4500, "the agent kept the ISR whole, not chance"
    assert all(line["errors"] == line["events_dropped"] == 0 for line in leader)
