"""Kafka's own Java client beside librdkafka: both write and read one topic, and agree."""

from collections import Counter
from pathlib import Path

import pytest

from commands import insync
from event_lines import lines_of
from fault_runs import small_scenario
from insync.brokers.kafka.versions import DEFAULT

WORKLOAD = {
    "leaders": [1, 2], "rate_per_partition": 15, "idempotent": True, "compression": "lz4",
    "linger_ms": 5, "keys": 6, "key_skew": 0.5, "client": "both",
    "transactions": {"coordinators": [1, 2], "per_second": 4, "records": 2, "abort_percent": 30},
}  # fmt: skip
GROUP = {
    "protocol": "classic", "members": 2, "commit_every_ms": 300, "rejoin_every_ms": 1_500,
    "session_timeout_ms": 3_000,
}  # fmt: skip
WITHOUT_GROUPS = "2.8.2"
"""The Java client of this version does not tell its lag, so it is not a member of a group."""
SEED = "79"
"""Of this seed and the next, each client's first two transactions are one of each end.

How many more there are depends on the machine: on a busy one a client ends four. The numbers that
decide the end fill the values, too, so `record_bytes` and `records` change which end is first.
"""


def recorded(folder: Path, kafka: str, repeats: int) -> Path:
    file, out = folder / "clients.toml", folder / "run"
    groups = {} if kafka == WITHOUT_GROUPS else {"groups": [GROUP]}
    text = small_scenario(
        "clients", repeats=repeats, min_insync_replicas=2, workload={**WORKLOAD, **groups},
        broker={"replica_lag_time_max_ms": 10_000, "broker_session_timeout_ms": 9_000},
        timeline={"steady_ms": 3_000, "recover_ms": 500},
    )  # fmt: skip
    file.write_text(text, encoding="utf-8")
    done = insync("run", file, "--kafka", kafka, "--record-only", "--seed", SEED, "--out", out)
    assert done.returncode == 0, done.stderr
    # Both libraries have said that their acks were on time.
    assert done.stderr.count(": steady") == repeats, done.stderr
    assert "acks are late" not in done.stderr
    return out


@pytest.mark.parametrize(
    ("kafka", "repeats"),
    [
        (DEFAULT, 2),
        *(pytest.param(kafka, 1, marks=pytest.mark.long) for kafka in ("2.8.2", "3.6.2", "4.4.0")),
    ],
)
def test_both_libraries_write_and_each_reads_what_the_other_wrote(
    kafka: str, repeats: int, tmp_path: Path
) -> None:
    run = recorded(tmp_path, kafka, repeats)
    for repeat in range(repeats):
        produced = list(lines_of(run, "stock", f"produce-{repeat}.jsonl"))
        ended = list(lines_of(run, "stock", f"transactions-{repeat}.jsonl"))
        consumed = list(lines_of(run, "stock", f"consume-{repeat}.jsonl"))
        ends = Counter((line["client"], line["end"]) for line in ended)
        committed = {line["transaction"] for line in ended if line["end"] == "committed"}
        acked = {
            (line["partition"], line["seq"])
            for line in produced
            if line["error"] is None and line["transaction"] in (None, *committed)
        }
        for library in ("librdkafka", "java"):
            assert ends[library, "committed"] > 0, ends
            assert ends[library, "aborted"] > 0, ends
            assert any(line["client"] == library and line["offset"] >= 0 for line in produced)
            seen = [line for line in consumed if line["client"] == library and not line["fresh"]]
            assert [line["nth"] for line in seen] == list(range(len(seen)))
            assert {(line["partition"], line["seq"]) for line in seen} == acked
        assert {line["corrupt"] for line in consumed} == {None}
        if kafka != WITHOUT_GROUPS:
            grouped = lines_of(run, "stock", f"group-{repeat}.jsonl")
            done = [line for line in grouped if line["type"] == "read"]
            assert {line["client"] for line in done} == {"librdkafka", "java"}
            assert {(line["partition"], line["offset"]) for line in done} == {
                (line["partition"], line["offset"]) for line in consumed
            }
