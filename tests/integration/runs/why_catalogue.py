"""`python -m integration.runs.why_catalogue SEED OUT [REPEATS [OPTION...]]` records every fault.

It needs `PYTHONPATH=tests`. Each variant is a scenario with one fault that lasts for two and a half
lags, on stock brokers and with `step-down`, five times each. Options are those of `insync run`,
such as `--kafka 2.8.2 --arms stock`. `python tests/why_confusion.py OUT` then compares the answers
of `insync why` with the faults; docs/test/why.md has the result.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, Final

from insync.faults.registry import KINDS
from insync.faults.spec import BESIDE
from insync.fuzz.values import BROKER, DISKS
from insync.nodes import BROKERS
from integration.runs.recording import run, why_not

ARMS: Final = ("stock", "step-down")
REPEATS: Final = 5
AT_ONCE: Final = 2
"""Scenarios that are recorded at the same time, each on all arms."""
LEADERS: Final = (1, 2, 3, 1, 2, 3)
AT_MS: Final = 10_000
"""A cold cluster acks late for some seconds, which is not the doing of the fault."""
FOR_MS: Final = 5_000
WITHIN_S: Final = 1_200.0
SETTINGS: Final = {"replica.socket.timeout.ms": str(BROKER["replica_lag_time_max_ms"])}
"""As in Kafka's defaults, a follower gives a fetch up after the lag limit."""

VARIANTS: Final[Mapping[str, Sequence[Mapping[str, Any]]]] = {
    "stall": [{"site": site, "mode": "hold"} for site in ("read", "send", "write", "fsync")],
    "disk-stall": [{"mode": "hold"}],
    "disk-throttle": [{"write_bytes_per_s": 5_000}],
    "memory-pressure": [{"read_bytes_per_s": 5_000}],
    "cpu-quota": [{"quota_percent": 2.0}],
    "cpu-neighbour": [{"neighbours": 8}],
    "link": [{"mode": "cut"}],
    "client-link": [{"mode": "cut"}],
    "controller-link": [{"mode": "cut"}],
    "clock-jump": [{"by_ms": 60_000}],
    "config-update": [{"settings": {"num.io.threads": "8"}}],
    "topic-churn": [{"count": 8}],
    "more-partitions": [{"count": 100}],
}
"""The keys of a kind besides its place and time; kinds that are not named need no others."""


def scenarios(seed: int, repeats: int = REPEATS) -> Iterator[dict[str, Any]]:
    """Yield a scenario for each variant of each kind; the seed chooses broker and partitions."""
    random = Random(f"why {seed}")  # noqa: S311 - a draw, no secret
    for kind, entry in KINDS.items():
        for number, keys in enumerate(VARIANTS.get(kind, [{}])):
            broker = DISKS.get(entry.tags.log_folder) or random.randint(1, BROKERS)
            others = [each for each in range(1, BROKERS + 1) if each != broker]
            fault = {"kind": kind, "broker": broker, "at_ms": AT_MS, **keys}
            fields = entry.spec.model_fields
            if "for_ms" in fields:
                fault["for_ms"] = FOR_MS
            if kind == "delete-topic":
                fault["topic"] = BESIDE
            if "peer" in fields:
                fault["peer"] = random.choice(others)
            if "partitions" in fields:
                led = [place for place, leader in enumerate(LEADERS) if leader == broker]
                away = [place for place, leader in enumerate(LEADERS) if leader != broker]
                at_leader = kind in ("stall", "read-error")
                fault["partitions"] = led[: random.randint(1, 2)] if at_leader else away[:2]
            yield scenario(f"why-{kind}-{number}", fault, repeats)


def scenario(name: str, fault: Mapping[str, Any], repeats: int) -> dict[str, Any]:
    return {
        "schema": 1,
        "name": name,
        "summary": f"one {fault['kind']} on a broker that leads two partitions",
        "arms": list(ARMS),
        "repeats": repeats,
        "min_insync_replicas": 2,
        "broker": {
            **BROKER, "num_io_threads": 8, "settings": SETTINGS,
            "log_dirs": 2 if fault["kind"] == "move-log-dir" else 1,
        },
        "workload": {
            "leaders": list(LEADERS), "rate_per_partition": 20, "record_bytes": 200,
            "idempotent": True,
        },
        "timeline": {"steady_ms": AT_MS, "recover_ms": 4_000, "jitter_ms": 1_000},
        "faults": [fault],
        **({"beside": {"leaders": [1, 2, 3]}} if fault.get("topic") == BESIDE else {}),
    }  # fmt: skip


def record(keys: Mapping[str, Any], seed: int, out: Path, options: Sequence[str]) -> str:
    """Record a scenario; return its name, and why it failed if it did."""
    done = run(keys, out, "--seed", str(seed), "--record-only", *options, within_s=WITHIN_S)
    return f"{keys['name']}: {why_not(done) if done.returncode else 'recorded'}"


def main(seed: int, out: Path, repeats: int, options: Sequence[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        todo = scenarios(seed, repeats)
        for said in pool.map(lambda keys: record(keys, seed, out, options), todo):
            print(said, flush=True)


if __name__ == "__main__":
    most = int(sys.argv[3]) if sys.argv[3:] else REPEATS
    main(int(sys.argv[1]), Path(sys.argv[2]), most, sys.argv[4:])
