"""`python -m integration.runs.learnt_times OUT [REPEATS]` compares a learnt T with a fixed one.

It needs `PYTHONPATH=tests`. Each load is a scenario at full times: first the load alone, then a
stalled read while it goes on. It prints for each arm the longest time between two acks, for how
long the overdue fetch was pending at the step-down, and how many step-downs there were.
docs/results.md has the result.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from integration.runs.recording import BROKER, folder_of, run, why_not

ARMS: Final = ("stock", "step-down", "step-down-auto")
AT_ONCE: Final = 2
STALL_MS: Final = 30_000
"""When the read stalls: a leader has learnt its time then."""
WITHIN_S: Final = 1_800.0
FIGURES: Final = ("max_ack_gap_ms", "step_down_pending_ms", "step_downs")

PAUSES: Final = {
    "kind": "jvm-pause", "broker": 1, "at_ms": 5_000, "for_ms": 1_500, "times": 3,
    "every_ms": 6_000,
}  # fmt: skip
COLD: Final = {
    "kind": "memory-pressure", "broker": 1, "limit_bytes": 134_217_728,
    "read_bytes_per_s": 100_000_000, "at_ms": 5_000, "for_ms": 20_000,
}  # fmt: skip
BURSTS: Final = {"partitions": [0, 1], "records": 500, "every_ms": 400}
LOADS: Final[Mapping[str, tuple[Mapping[str, Any], list[Mapping[str, Any]]]]] = {
    "1-record-a-second": ({"rate_per_partition": 1, "record_bytes": 200}, []),
    "50-records-a-second": ({"rate_per_partition": 50, "record_bytes": 200}, []),
    "500-records-a-second": ({"rate_per_partition": 500, "record_bytes": 200}, []),
    "records-of-100-kb": ({"rate_per_partition": 20, "record_bytes": 100_000}, []),
    "bursts": ({"rate_per_partition": 2, "record_bytes": 1_000, "bursts": [BURSTS]}, []),
    "pauses-of-the-jvm": ({"rate_per_partition": 50, "record_bytes": 200}, [PAUSES]),
    "cold-reads": ({"rate_per_partition": 50, "record_bytes": 200}, [COLD]),
}
"""The workload, and the faults before the stall."""


def scenario(name: str, repeats: int) -> dict[str, Any]:
    """Return the keys of a scenario."""
    workload, faults = LOADS[name]
    stall = {
        "kind": "stall", "site": "read", "mode": "hold", "broker": 1, "partitions": [0, 1],
        "at_ms": STALL_MS, "for_ms": 10_000,
    }  # fmt: skip
    return {
        "schema": 1,
        "name": f"learnt-{name}",
        "summary": "a load, and a stalled read",
        "arms": list(ARMS),
        "control_arms": ["stock"],
        "repeats": repeats,
        "min_insync_replicas": 2,
        "broker": BROKER,
        "workload": {"leaders": [1, 1], "producers_per_partition": 1, **workload},
        "timeline": {"steady_ms": 5_000, "recover_ms": 7_500},
        "faults": [*faults, stall],
        "expect": {
            "stock": {"leader_changes": {"max": 0}},
            "step-down": {"most_step_downs": {"max": 1}},
            "step-down-auto": {"most_step_downs": {"max": 1}},
        },
    }


def measure(out: Path, name: str, repeats: int) -> str:
    """Run a scenario; return its figures, or why there are none."""
    keys = scenario(name, repeats)
    done = run(keys, out, within_s=WITHIN_S)
    file = folder_of(keys, out) / "verdict.json"
    if not file.exists():
        return f"{name}: {why_not(done)}"
    verdict = json.loads(file.read_text(encoding="utf-8"))
    figures = {
        arm: {figure: found[figure] for figure in FIGURES} for arm, found in verdict["arms"].items()
    }
    return f"{name}: {verdict['verdict']} {verdict['reason']}\n  {figures}"


def main(out: Path, repeats: int) -> None:
    """Run all scenarios."""
    out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for said in pool.map(lambda name: measure(out, name, repeats), LOADS):
            print(said, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1)
