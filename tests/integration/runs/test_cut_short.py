"""Runs and matrices that are ended by a signal, and runs in which a broker ends by itself."""

import functools
import json
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from commands import start_insync
from event_lines import lines_of
from processes import end
from waiting import wait_for

Judge = Callable[..., Any]
ENDED_BY = (
    signal.SIGKILL,
    *(pytest.param(other, marks=pytest.mark.long) for other in (signal.SIGINT, signal.SIGTERM)),
)


@dataclass(frozen=True)
class Cut:
    """A run that a signal ended: its folder, its exit code, and the nodes that still run."""

    out: Path
    returncode: int
    alive: list[psutil.Process]


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Callable[[signal.Signals], Cut]:
    """Return what ends a run by a signal; one run for each signal."""
    folder = tmp_path_factory.mktemp("cut")
    return functools.cache(lambda number: cut_short(folder / number.name, number))


def cut_short(out: Path, number: signal.Signals) -> Cut:
    phases = out / "events" / "stock" / "phases.jsonl"
    with start_insync("run", "kip-501", "--scale", "0.2", "--repeat", "1", "--out", out) as run:
        wait_for(lambda: phases.read_text(), lambda text: "steady" in text, within_s=120)
        alive = end(run, number, least=4)  # a controller and three brokers
    return Cut(out, run.returncode, alive)


@pytest.mark.parametrize("number", ENDED_BY)
def test_a_run_cut_short_leaves_no_process(
    cut: Callable[[signal.Signals], Cut], number: signal.Signals
) -> None:
    run = cut(number)
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
        wait_for(lambda: phases.read_text(), lambda text: "steady" in text, within_s=120)
        nodes = psutil.Process(run.pid).children(recursive=True)
        (broker,) = (node for node in nodes if node.cwd() == str(out / "nodes" / "request" / "2"))
        broker.kill()
    assert run.returncode == 0
    return out


def test_a_broker_that_ends_by_itself_is_a_finding_and_ends_its_repeat(exited: Path) -> None:
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


@pytest.mark.long
def test_what_a_killed_run_recorded_is_readable(
    cut: Callable[[signal.Signals], Cut], exited: Path, judge: Judge
) -> None:
    """No signal leaves less behind than SIGKILL; a broker that ended by itself is a failure."""
    killed, failed = judge(cut(signal.SIGKILL).out, exited)
    assert killed["verdict"] == "unknown"
    assert failed["verdict"] == "fail"
    said = "request, repeat 1: unplanned_exits was 1, expected 0 (broker 2: ended with -9"
    assert failed["reason"].startswith(said)


def test_an_interrupted_matrix_leaves_no_process_and_what_it_recorded_can_be_judged(
    tmp_path: Path, judge_matrices: Judge
) -> None:
    """Ctrl-C ends it in the second of its two scenarios."""
    out = tmp_path / "matrix"
    chosen = ("--only", "read-stall,freeze", "--arms", "stock")
    with start_insync("matrix", *chosen, "--out", out) as run:
        phases = out / "4.3.1" / "freeze" / "events" / "stock" / "phases.jsonl"
        wait_for(lambda: phases.exists() and phases.read_text(), bool, within_s=120)
        # A worker, a controller and three brokers.
        assert not end(run, signal.SIGINT, least=5)
    assert run.returncode == 3
    ((whole, cut),) = judge_matrices(out)
    assert (whole["scenario"], whole["outcome"]) == ("read-stall", "pass")
    assert (cut["scenario"], cut["outcome"]) == ("freeze", "unknown")
    assert "cut short" in cut["reason"]
