"""A run whose cluster loses an acked tail on every replica's disk is found and fails."""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from event_lines import lines_of
from fault_runs import small_scenario
from insync.events.schema import topic_name
from insync.nodes import BROKERS, CONTROLLER_ID
from insync.progress import Progress
from insync.run import arm
from insync.run.arm_cluster import ArmCluster
from insync.run.plan import prepare
from insync.run.readiness import await_full_isr
from insync.run.request import RunRequest
from insync.run.runner import execute
from insync.workload import workload
from waiting import wait_for

SCENARIO = small_scenario(
    "tail", control_arms=["stock"], min_insync_replicas=2,
    broker={"replica_lag_time_max_ms": 10_000},
    workload={"leaders": [1, 2], "record_bytes": 16},
    timeline={"steady_ms": 1_000, "recover_ms": 500},
)  # fmt: skip
TOPIC = topic_name("tail", 0)
TAIL = 5
"""How many batches partition 0 loses."""
SIZE_AND_COUNT = struct.Struct(">8xi45xi")
"""Of a batch: the bytes after its first 12, and how many records it has."""


def batches_of(log: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each batch begins, and how many records it has."""
    at = 0
    while at < len(log):
        size, records = SIZE_AND_COUNT.unpack_from(log, at)
        yield at, records
        at += 12 + size


def cut(log: Path) -> int:
    """Remove the last batches of a replica's log; return how many records they had."""
    content = log.read_bytes()
    tail = [*batches_of(content)][-TAIL:]
    log.write_bytes(content[: tail[0][0]])
    return sum(records for _, records in tail)


def lose_tail(cluster: ArmCluster) -> int:
    """Stop all nodes, cut the logs of partition 0 alike, start them; return the records lost."""
    nodes = cluster.cluster
    logs = [nodes.nodes[broker].data_dir / f"{TOPIC}-0" for broker in range(1, BROKERS + 1)]
    nodes.stop()
    (lost,) = {cut(next(folder.glob("*.log"))) for folder in logs}
    for number in (CONTROLLER_ID, *range(1, BROKERS + 1)):
        nodes.restart(number)
    await_full_isr(nodes.bootstrap, TOPIC, cluster.check_nodes)
    return lost


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the cluster lose a tail before a repeat is read back, and note how many records."""
    found: list[int] = []
    clusters: list[ArmCluster] = []
    opened, read_back = arm.open_arm_cluster, workload.Workload.read_back

    @contextmanager
    def remembered(*arguments: Any) -> Iterator[ArmCluster]:
        with opened(*arguments) as cluster:
            clusters.append(cluster)
            yield cluster

    def after_a_loss(self: workload.Workload, seconds: float) -> None:
        ends = self._end_offsets(seconds)
        wait_for(lambda: self._consumers[0].positions, ends.__eq__)
        found.append(lose_tail(clusters[0]))
        read_back(self, seconds)

    monkeypatch.setattr(arm, "open_arm_cluster", remembered)
    monkeypatch.setattr(workload.Workload, "read_back", after_a_loss)
    monkeypatch.setattr(workload, "TRUNCATED_SECONDS", 0.5)
    return found


@pytest.mark.long
def test_a_tail_that_all_replicas_lost_fails_the_run(
    lost: list[int], judge: Callable[..., Any], tmp_path: Path
) -> None:
    scenario, out = tmp_path / "tail.toml", tmp_path / "run"
    scenario.write_text(SCENARIO, encoding="utf-8")
    execute(prepare(RunRequest(scenario=str(scenario), out=out), Progress()), Progress())
    (verdict,) = judge(out)
    assert verdict["verdict"] == "fail"
    stock = verdict["arms"]["stock"]
    assert lost[0] >= TAIL
    assert stock["truncated"] == [1]
    assert stock["lost"] == stock["missing_from_log"] == lost
    assert stock["diverged"] == [0], "the replicas agree with each other"
    for metric in ("corrupt", "unexpected", "moved", "inconsistent", "duplicated", "gaps"):
        assert stock[metric] == [0], metric
    ends = [line for line in lines_of(out, "stock", "read-back.jsonl") if line["partition"] == 0]
    assert [line["fresh"] for line in ends] == [False, True]
    assert ends[0]["position"] == ends[1]["position"] + lost[0]
    check_clocks(lines_of(out, "stock", "clocks.jsonl"))


def check_clocks(lines: list[dict[str, Any]]) -> None:
    """All nodes of a local cluster share this machine's clock."""
    assert {line["broker"] for line in lines} == {1, 2, 3, CONTROLLER_ID}
    assert [line for line in lines if abs(line["ahead_ms"]) > line["error_ms"] + 1] == []
