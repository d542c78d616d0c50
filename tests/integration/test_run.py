"""Runs the command on real brokers: KIP-501's case, the control, live state."""

import json
import subprocess
from pathlib import Path

import psutil
import pytest

from commands import insync, insync_json, start_insync
from event_lines import lines_of
from every_scenario import NEWEST
from insync.arms import FEATURE
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from integration.lab import StartCluster
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


def test_state_shows_the_replicas_of_a_running_cluster(
    start: StartCluster, agent: AgentSpec
) -> None:
    cluster = start(brokers=3, agent=agent, settings={FEATURE: "true"})
    create_topic(cluster.bootstrap, "events", [[1, 2, 3]], {"min.insync.replicas": "2"})
    file = agent.bridge_dir / "bridge-1.json"
    shown = insync("state", file)
    assert shown.returncode == 0, shown.stderr
    assert "events" in shown.stdout
    (partition,) = wait_for(
        lambda: insync_json("state", file, "--topic", "events"),
        lambda seen: all(follower["last_fetch_ms"] for follower in seen[0]["replicas"][1:]),
    )
    for follower in partition["replicas"][1:]:
        assert (follower["log_start_offset"], follower["leo"]) == (0, 0)
        assert (follower["last_fetch_leader_leo"], follower["last_caught_up_ms"] > 0) == (0, True)
    nobody = insync("state", tmp := file.with_name("none.json"))
    assert (nobody.returncode, len(nobody.stderr.splitlines())) == (2, 1), tmp
