"""The broker settings of every seed: short times, so that a seed takes seconds."""

from collections.abc import Mapping
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
    "leader_relinquish_cooldown_ms": 300_000,
    "leader_relinquish_score_recovery_ms": 1_000,  # the next seed finds no slow broker
}
