"""Runs the command on real brokers: KIP-501's case, the control, an interrupted run, live state."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import psutil
import pytest

from commands import insync, insync_json, start_insync
from event_lines import lines_of
from every_scenario import NEWEST, RecordedScenarios
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from processes import end, gone
from waiting import wait_for

MIB = 1 << 20
Judge = Callable[..., Any]
ENDED_BY = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)

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
    """Run the KIP's own case once: stock and request; return JSON and folder."""
    out = tmp_path_factory.mktemp("runs") / "kip-501"
    memory = Memory()
    arms = ("--arms", "stock,request", "--repeat", "1")
    command = ("run", "kip-501", "--scale", "0.2", *arms, "--out", out, "--json")
    with start_insync(*command, stdout=subprocess.PIPE) as run:
        wait_for(lambda: memory.sample(run.pid), bool, within_s=300)
        assert run.stdout is not None
        printed = run.stdout.read()
    assert run.returncode == 0, printed
    assert memory.harness <= 200, "the harness without Spark"
    assert memory.all <= 4096, "everything together"
    yield json.loads(printed), out


def test_stock_shrinks_and_kip_501_does_not(kip_501: tuple[dict[str, Any], Path]) -> None:
    verdict, _ = kip_501
    assert verdict["verdict"] == "pass"
    stock, request = (verdict["arms"][arm] for arm in ("stock", "request"))
    assert stock["repeats"] == request["repeats"] == 1
    assert stock["isr_shrinks"][0] >= 1
    assert stock["min_isr_size"][0] < 3
    assert request["isr_shrinks"] == [0]
    assert request["min_isr_size"] == [3]
    assert request["agent_errors"] == [0]
    for arm in (stock, request):
        assert arm["lost"] == [0]
        assert arm["acked"][0] > 0
        (evidence,) = arm["evidence"]
        assert evidence["calls_held"] > 0
        assert evidence["held_ms"] > 2500


def test_the_printed_verdict_is_the_file_and_the_report_is_self_contained(
    kip_501: tuple[dict[str, Any], Path],
) -> None:
    verdict, out = kip_501
    assert json.loads((out / "verdict.json").read_text()) == verdict
    assert not list((out / "nodes").glob("*/*/data")), "nobody needs the data of a pass"
    links = Links()
    links.feed((out / "report.html").read_text(encoding="utf-8"))
    assert not links.outside


def test_a_fetch_was_pending_as_long_as_the_stall_and_none_is_afterwards(
    kip_501: tuple[dict[str, Any], Path],
) -> None:
    """The plugin kept the ISR whole, not chance: its broker says how long fetches were pending."""
    _, out = kip_501
    lines = lines_of(out, "request", "counters.jsonl")
    leader = [line for line in lines if line["broker"] == 1]
    assert max(line["longest_hold_ms"] for line in leader) >= 4500
    assert all(line["errors"] == line["events_dropped"] == 0 for line in leader)


def test_the_report_can_be_made_again_from_the_events(
    kip_501: tuple[dict[str, Any], Path], judge: Judge
) -> None:
    verdict, out = kip_501
    assert judge(out) == [verdict]


@pytest.mark.scenario("control")
def test_without_a_fault_nothing_shrinks_in_any_arm(scenarios: RecordedScenarios) -> None:
    shrinks = {arm: cell["isr_shrinks"] for arm, cell in scenarios.cells("control").items()}
    assert shrinks == {"stock": [0], "off": [0], "plugin": [0]}


@pytest.mark.scenario("kip-501")
def test_the_newest_broker_shows_the_same(scenarios: RecordedScenarios) -> None:
    cells = scenarios.cells("kip-501", NEWEST)
    # Stock may lose one follower only; `make test-all` has all repeats.
    assert cells["stock"]["isr_shrinks"][0] >= 1
    request = cells["request"]
    assert (request["isr_shrinks"], request["min_isr_size"]) == ([0], [3])
    assert request["agent_errors"] == [0]


@dataclass(frozen=True)
class Cut:
    """A run that a signal ended: its folder, its exit code, and the nodes that still run."""

    out: Path
    returncode: int
    alive: list[psutil.Process]


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> dict[signal.Signals, Cut]:
    """End three runs at the same time, each by another signal."""
    folder = tmp_path_factory.mktemp("cut")
    with ThreadPoolExecutor() as runs:
        ended = runs.map(lambda number: cut_short(folder / number.name, number), ENDED_BY)
        return dict(zip(ENDED_BY, ended, strict=True))


def cut_short(out: Path, number: signal.Signals) -> Cut:
    phases = out / "events" / "stock" / "phases.jsonl"
    with start_insync("run", "kip-501", "--scale", "0.2", "--repeat", "1", "--out", out) as run:
        wait_for(lambda: phases.read_text(), lambda text: "steady" in text, within_s=60)
        alive = end(run, number, least=4)  # a controller and three brokers
    return Cut(out, run.returncode, alive)


@pytest.mark.parametrize("number", ENDED_BY)
def test_a_run_cut_short_leaves_no_process(
    cut: dict[signal.Signals, Cut], number: signal.Signals
) -> None:
    run = cut[number]
    assert not run.alive
    assert run.returncode == (-9 if number is signal.SIGKILL else 3)
    assert "finished_ms" not in json.loads((run.out / "run.json").read_text())


LONELY = """
schema = 1
name = "lonely"
summary = "a broker that leads nothing is killed, and no fault of the scenario did it"
arms = ["request"]
repeats = 2
min_insync_replicas = 2
broker = { replica_lag_time_max_ms = 1_000, replica_fetch_wait_max_ms = 200 }
workload = { leaders = [1, 3], rate_per_partition = 25, record_bytes = 100 }
timeline = { steady_ms = 1_000, recover_ms = 500 }
expect.request.isr_shrinks.max = 0
"""


@pytest.fixture(scope="module")
def exited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a scenario in whose first repeat a broker ends by itself; return the folder."""
    folder = tmp_path_factory.mktemp("exited")
    scenario, out = folder / "lonely.toml", folder / "run"
    scenario.write_text(LONELY)
    phases = out / "events" / "request" / "phases.jsonl"
    with start_insync("run", scenario, "--record-only", "--out", out) as run:
        wait_for(lambda: phases.read_text(), lambda text: "steady" in text, within_s=60)
        nodes = psutil.Process(run.pid).children(recursive=True)
        (broker,) = (node for node in nodes if node.cwd() == str(out / "nodes" / "request" / "2"))
        broker.kill()
    assert run.returncode == 0
    return out


def test_a_broker_that_ends_by_itself_is_a_finding_and_ends_the_repeat_in_order(
    exited: Path,
) -> None:
    (line,) = lines_of(exited, "request", "liveness.jsonl")
    assert (line["type"], line["node"], line["repeat"]) == ("unplanned_exit", 2, 0)
    assert "broker 2: ended with -9" in line["note"]
    phases = [each["type"] for each in lines_of(exited, "request", "phases.jsonl")]
    assert phases == ["cluster_ready", "repeat_started", "steady", "repeat_ended", "aborted"]
    assert lines_of(exited, "request", "isr.jsonl")
    assert lines_of(exited, "request", "batches-0.jsonl")
    read = lines_of(exited, "request", "read-back.jsonl")
    assert all(each["position"] == each["end_offset"] > 0 for each in read)
    assert "finished_ms" in json.loads((exited / "run.json").read_text())
    assert list((exited / "nodes" / "request" / "2" / "data").glob("lonely-r0-*"))


def test_what_a_killed_run_recorded_is_readable(
    cut: dict[signal.Signals, Cut], exited: Path, judge: Judge
) -> None:
    """No signal leaves less behind than SIGKILL; a broker that ended by itself is a failure."""
    killed, failed = judge(cut[signal.SIGKILL].out, exited)
    assert killed["verdict"] == "unknown"
    assert failed["verdict"] == "fail"
    said = "request, repeat 1: unplanned_exits was 1, expected 0 (broker 2: ended with -9"
    assert failed["reason"].startswith(said)


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
