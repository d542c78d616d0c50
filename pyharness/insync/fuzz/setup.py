"""Draw the brokers and the workload of a seed; times are short, so that a seed takes seconds."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from insync.nodes import BROKERS

BROKER: Final[Mapping[str, Any]] = {
    "replica_lag_time_max_ms": 2_000,
    "replica_fetch_wait_max_ms": 500,
    "replica_fetch_backoff_ms": 500,
    "broker_session_timeout_ms": 2_000,
    "num_io_threads": 4,
    "num_network_threads": 2,
    "log_flush_interval_messages": 20,  # so that an fsync can be stalled
    "leader_fetch_process_time_max_ms": 1_000,
    "insync_relinquish_cooldown_ms": 50_000,  # the next seed soon finds no slow broker
}

CONTROLLERS: Final[Sequence[Mapping[str, Any]]] = (
    {},
    {"controllers": 3},
    {"controllers": 3, "combined": True},
)
"""One controller, a quorum of three, and brokers that are the controllers."""
IN_A_ROW: Final = 10
"""How many seeds in a row have the same controllers, so that they can share a cluster."""


def brokers_of(seed: int, *, quorums: bool, settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the key `broker` of a seed; `quorums`: whether the version can have several."""
    controllers = CONTROLLERS[(seed - 1) // IN_A_ROW % len(CONTROLLERS)] if quorums else {}
    return {**BROKER, **controllers, **({"settings": dict(settings)} if settings else {})}


MOST_PARTITIONS: Final = 4
PLAIN: Final[Mapping[str, Any]] = {
    "rate_per_partition": 25,
    "producers_per_partition": 2,
    "record_bytes": 200,
    "client_timeout_ms": 4_000,
}
"""What every workload has at first; reduction comes back to it."""


def draw_workload(random: Random, protocols: Sequence[str]) -> dict[str, Any]:
    """Return the keys of a workload that the loader accepts."""
    brokers = range(1, BROKERS + 1)
    leaders = [random.choice(brokers) for _ in range(random.randint(1, MOST_PARTITIONS))]
    keys: dict[str, Any] = {**PLAIN, "leaders": leaders}
    keys["rate_per_partition"] = random.choice((10, 25, 50))
    keys["producers_per_partition"] = random.randint(1, 3)
    keys["record_bytes"] = random.choice((64, 200, 2_000))
    keys["acks"] = random.choice(("1", "all", "all"))
    keys["client"] = random.choice(("librdkafka", "librdkafka", "librdkafka", "java", "both"))
    if keys["acks"] == "all" and random.random() < 0.4:
        keys["idempotent"] = True
    if random.random() < 0.3:
        keys["compression"] = random.choice(("gzip", "snappy", "lz4", "zstd"))
        keys["linger_ms"] = 20
    if random.random() < 0.3:
        keys["transactions"] = _transactions(random)
    if random.random() < 0.3:
        keys["groups"] = [_group(random, protocols)]
    if not keys.get("idempotent") and random.random() < 0.15:
        bursts = {"partitions": [random.randrange(len(leaders))], "records": 20, "every_ms": 400}
        keys["bursts"] = [bursts]
    elif random.random() < 0.2:
        keys["keys"] = 10 * len(leaders)
    return keys


def _transactions(random: Random) -> dict[str, Any]:
    return {
        "coordinators": random.sample(range(1, BROKERS + 1), random.randint(1, 2)),
        "per_second": random.randint(2, 6),
        "records": random.randint(2, 5),
        "abort_percent": random.choice((0, 20)),
        "reads": random.choice((0, 0, 20)),
    }


def _group(random: Random, protocols: Sequence[str]) -> dict[str, Any]:
    group: dict[str, Any] = {
        "protocol": random.choice(list(protocols)),
        "members": random.randint(1, 3),
    }
    if random.random() < 0.4:
        group["rejoin_every_ms"] = 1_500
    return group
