"""The brokers and controllers of seeds; short times, so that a seed takes seconds."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

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
