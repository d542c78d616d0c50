"""What operators and clients do to a real cluster: topics, replicas that move, a broker stopped.

And writes that fail on one of a broker's log directories.
"""

from pathlib import Path
from typing import Any

from commands import insync
from event_lines import lines_of
from fault_runs import small_scenario

FAULTS: list[dict[str, Any]] = [
    {"kind": "topic-churn", "broker": 2, "at_ms": 500, "for_ms": 1_000},
    {
        "kind": "remove-replica", "broker": 3, "partitions": [0, 1], "at_ms": 600,
        "for_ms": 1_500,
    },
    {"kind": "more-partitions", "broker": 1, "count": 10, "at_ms": 500, "for_ms": 1_500},
    {
        "kind": "add-replica", "broker": 3, "partitions": [2], "throttle_bytes_per_s": 100_000,
        "at_ms": 500, "for_ms": 2_000,
    },
    {"kind": "produce-flood", "broker": 3, "producers": 1, "at_ms": 500, "for_ms": 1_500},
    {"kind": "delete-topic", "broker": 1, "at_ms": 700, "for_ms": 1_000},
    {
        "kind": "create-topic", "broker": 1, "count": 60, "folders": 2, "at_ms": 3_100,
        "for_ms": 1_000,
    },
    {
        "kind": "move-log-dir", "broker": 1, "partitions": [0, 1, 2], "at_ms": 3_000,
        "for_ms": 1_500,
    },
    {
        "kind": "corrupt", "broker": 3, "partitions": [0], "files": "*.timeindex", "at_ms": 3_000,
        "for_ms": 1_000,
    },
    {"kind": "stop", "broker": 2, "at_ms": 5_000, "for_ms": 8_000},
    {"kind": "write-error", "broker": 3, "partitions": [1], "at_ms": 14_000, "for_ms": 1_500},
]  # fmt: skip


def test_topics_come_and_go_and_a_replica_moves(tmp_path: Path) -> None:
    file, out = tmp_path / "requests.toml", tmp_path / "run"
    load = {"leaders": [1, 2, 1], "rate_per_partition": 10}
    broker = {"broker_session_timeout_ms": 6_000, "log_dirs": 2}
    text = small_scenario(
        "requests", FAULTS, broker=broker, workload=load, min_insync_replicas=2,
        timeline={"recover_ms": 500}, beside={"leaders": [1, 2], "configs": {"segment.ms": "500"}},
    )  # fmt: skip
    file.write_text(text)
    done = insync("run", file, "--record-only", "--out", out)
    assert done.returncode == 0, done.stderr
    found = {line["fault"]: line for line in lines_of(out, "stock", "faults.jsonl")}
    assert set(found) == {fault["kind"] for fault in FAULTS}
    churn = found["topic-churn"]["figures"]
    assert churn["created"] >= 1
    assert churn["created"] == churn["deleted"]
    assert churn["failed"] == 0
    moved = found["remove-replica"]
    assert moved["figures"] == {"removed": 2.0, "assigned": 2.0, "joined": 2.0}
    assert moved["acted_ms"] >= 750
    more = found["more-partitions"]["figures"]
    assert more == {"asked": 10.0, "led": 10.0, "whole": 10.0}
    added = found["add-replica"]["figures"]
    flood = found["produce-flood"]["figures"]
    assert flood["acked"] >= 1_000
    assert (flood["alive"], flood["waited"] > 0) == (1.0, True)
    assert found["delete-topic"]["figures"] == {"deleted": 1.0, "gone": 1.0, "created": 1.0}
    created = found["create-topic"]["figures"]
    assert 2 <= created["folders"] < created["asked"] == 60
    assert found["move-log-dir"]["figures"]["moved"] == 3
    assert found["corrupt"]["figures"]["changed"] == 1
    stopped = found["stop"]
    assert (stopped["figures"]["ended"], stopped["figures"]["listed"]) == (1.0, 1.0)
    assert 0 < stopped["figures"]["shut_down_ms"] < stopped["acted_ms"]
    failed = found["write-error"]["figures"]
    assert (failed["calls_failed"] >= 1, failed["ended"], failed["offline"]) == (True, 0.0, 1.0)
    assert (added["joined"], added["quotas_in_force"]) == (1.0, added["quotas_asked"]) == (1.0, 4.0)
