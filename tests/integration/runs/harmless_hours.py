"""`python -m integration.runs.harmless_hours OUT FULL SCALED [REPEATS [SEED [ARM ...]]]`.

It finds false alarms, and needs `PYTHONPATH=tests`. It runs so many clusters at the same time, with
their full times and with a quarter of them, under harmless load of all kinds in turn, for REPEATS
times 40 minutes (2). The arms take turns, too. Then it computes their verdicts, which ask for 0
step-downs. docs/results.md has the result.
"""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, Final

from commands import insync
from insync.nodes import BROKERS
from integration.runs.recording import BROKER, folder_of, run, why_not

ARMS: Final = ("step-down",)
SCALED: Final = 0.25
REPEATS: Final = 2
"""At full times, of some 40 minutes each; as much time is spent at a quarter."""
WITHIN_S: Final = 4 * 3_600.0
STARTS_APART_S: Final = 30.0
"""So that a cluster is up before the next one starts, which takes both cores."""
APART_MS: Final = 50_000
"""From the begin of a load to that of the next one: the longest takes 15 s, and a restart more."""
FIRST_MS: Final = 10_000
TURNS: Final = 48
"""A scenario may have 64 faults, and each pause of a JVM counts."""
LOADS: Final[tuple[Mapping[str, Any], ...]] = (
    {"kind": "jvm-pause", "for_ms": 1_500, "times": 2, "every_ms": 6_000},
    {"kind": "topic-churn", "count": 16, "for_ms": 15_000},
    {"kind": "cpu-neighbour", "neighbours": 4, "for_ms": 15_000},
    {
        "kind": "client-link", "mode": "slow", "direction": "from", "bytes_per_s": 2_000,
        "for_ms": 15_000,
    },
    {"kind": "kill", "for_ms": 8_000},
)  # fmt: skip
"""Those of the group `false-alarms` that need no partitions, data or replicas of their own."""


def faults(random: Random) -> Iterator[dict[str, Any]]:
    """Yield the loads in turn, each at a broker that is drawn."""
    for turn in range(TURNS):
        yield {
            **LOADS[turn % len(LOADS)],
            "broker": random.randint(1, BROKERS),
            "at_ms": FIRST_MS + turn * APART_MS,
        }


def scenario(name: str, arm: str) -> dict[str, Any]:
    random = Random(name)  # noqa: S311 - a draw, no secret
    return {
        "schema": 1,
        "name": name,
        "summary": "harmless loads in turn for 40 minutes: no leader may step down",
        "arms": [arm],
        "repeats": 1,
        "min_insync_replicas": 2,
        "broker": {
            **BROKER,
            "broker_session_timeout_ms": 9_000,
        },
        "workload": {
            "leaders": [1, 2, 3, 1, 2, 3], "rate_per_partition": 5, "record_bytes": 400,
            "producers_per_partition": 1,
            "bursts": [{"partitions": [0, 1, 2], "records": 50, "every_ms": 2_000}],
        },
        "timeline": {"steady_ms": FIRST_MS, "recover_ms": APART_MS},
        "faults": list(faults(random)),
        "expect": {arm: {"step_downs": {"max": 0}, "step_downs_withheld": {"max": 0}}},
    }  # fmt: skip


def record(
    out: Path, arms: Sequence[str], number: int, scale: float, repeats: int, seed: int
) -> Path:
    arm = arms[number % len(arms)]
    name = f"hours-{arm}-{'full' if scale == 1 else 'scaled'}-{seed + number}"
    keys = scenario(name, arm)
    time.sleep(number * STARTS_APART_S)
    done = run(
        keys, out, "--scale", str(scale), "--repeat", str(round(repeats / scale)),
        "--seed", str(seed + number), "--record-only", within_s=WITHIN_S,
    )  # fmt: skip
    if done.returncode:
        print(f"{name}: {why_not(done)}", flush=True)
    return folder_of(keys, out)


def judge(recorded: Path) -> str:
    """Compute a verdict; return it, or why there is none."""
    done = insync("report", recorded, within_s=3_600)
    file = recorded / "verdict.json"
    if not file.exists():
        return f"{recorded.name}: {why_not(done)}"
    verdict = json.loads(file.read_text(encoding="utf-8"))
    figures = {
        metric: figures[metric]
        for figures in verdict["arms"].values()
        for metric in ("step_downs", "step_downs_withheld", "leader_changes", "isr_shrinks")
    }
    return f"{recorded.name}: {verdict['verdict']} {verdict['reason']} {figures}"


def main(
    out: Path, full: int, scaled: int, repeats: int, seed: int, arms: Sequence[str] = ARMS
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    scales = [1.0] * full + [SCALED] * scaled
    with ThreadPoolExecutor(len(scales)) as pool:
        asked = list(enumerate(scales))
        recorded = list(pool.map(lambda each: record(out, arms, *each, repeats, seed), asked))
    for folder in recorded:
        print(judge(folder), flush=True)


if __name__ == "__main__":
    main(
        Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]),
        int(sys.argv[4]) if sys.argv[4:] else REPEATS,
        int(sys.argv[5]) if sys.argv[5:] else 1,
        sys.argv[6:] or ARMS,
    )  # fmt: skip
