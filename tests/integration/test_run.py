"""Runs the command on real brokers: KIP-501's case, the control, live state."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import psutil
import pytest

from commands import insync, insync_json, start_insync
from event_lines import lines_of
from every_scenario import NEWEST
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from processes import gone
from waiting import wait_for

MIB = 1 << 20

pytestmark = pytest.mark.cluster


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


class Links(HTMLParser):
    """Collects a page's links outside of itself; text inside of scripts does not count."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        links = [value or "" for name, value in attrs if name in ("src", "href")]
        self.outside += [f"{tag} {link}" for link in links if not link.startswith(("#", "data:"))]


@pytest.fixture(scope="module")
def kip_501(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Any], Path]]:
    """Run the KIP's own case once on the newest broker, stock and request: its JSON and folder."""
    out = tmp_path_factory.mktemp("runs") / "kip-501"
    memory = Memory()
    arms = ("--arms", "stock,request", "--repeat", "1")
    options = ("--kafka", NEWEST, "--scale", "0.2", *arms)
    command = ("run", "kip-501", *options, "--out", out, "--json")
    with start_insync(*command, stdout=subprocess.PIPE) as run:
        wait_for(lambda: memory.sample(run.pid), bool, within_s=600)
        assert run.stdout is not None
        printed = run.stdout.read()
    assert run.returncode == 0, printed
    assert memory.harness <= 200, "the harness without Spark"
    assert memory.all <= 4096, "everything together"
    yield json.loads(printed), out


@pytest.mark.long
def test_the_printed_verdict_is_the_file_and_the_report_is_self_contained(
    kip_501: tuple[dict[str, Any], Path],
) -> None:
    verdict, out = kip_501
    assert json.loads((out / "verdict.json").read_text()) == verdict
    assert not list((out / "nodes").glob("*/*/data")), "nobody needs the data of a pass"
    links = Links()
    links.feed((out / "report.html").read_text(encoding="utf-8"))
    assert not links.outside


@pytest.mark.long
def test_a_fetch_was_pending_as_long_as_the_stall_and_none_is_afterwards(
    kip_501: tuple[dict[str, Any], Path],
) -> None:
    """The plugin kept the ISR whole, not chance: its broker says how long fetches were pending."""
    _, out = kip_501
    lines = lines_of(out, "request", "counters.jsonl")
    leader = [line for line in lines if line["broker"] == 1]
    assert max(line["longest_hold_ms"] for line in leader) >= 4500
    assert all(line["errors"] == line["events_dropped"] == 0 for line in leader)


def test_state_shows_the_replicas_of_a_running_cluster(start: Any, agent: AgentSpec) -> None:
    settings = {"follower.fetch.pending.reads.insync.enable": "true"}
    cluster = start(brokers=3, agent=agent, settings=settings)
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
