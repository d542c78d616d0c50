"""Define the settings of the Java clients: those of the librdkafka clients, in Kafka's names."""

from collections.abc import Mapping
from typing import Final

from insync.workload.plan import WorkloadPlan
from insync.workload.producer import DELIVERY_MS, QUEUE_KBYTES, RECONNECT_MS, batches
from insync.workload.transactional import TIMEOUT_MS

Settings = Mapping[str, str | int]

RETRIES: Final = 2**31 - 1
STEP_MS: Final = 500  # how soon a transactional producer notices that it must give up


def producer_settings(plan: WorkloadPlan, *, bursts: bool = False) -> Settings:
    """Return the settings of a producer that never blocks, and waits for no answer.

    A record that does not fit into its buffer fails at once. As in every application that keeps
    Kafka's default, five requests per broker are in flight at most.
    """
    return {
        "bootstrap.servers": plan.bootstrap,
        "acks": plan.load.acks,
        "enable.idempotence": _flag(plan.idempotent),
        "retries": RETRIES if plan.retries else 0,
        "delivery.timeout.ms": DELIVERY_MS,
        "buffer.memory": QUEUE_KBYTES * 1024,
        "max.block.ms": 0,
        **batches(plan.load, bursts=bursts),
        **timeouts(plan.client_timeout_ms),
    }


def transactional_settings(plan: WorkloadPlan) -> Settings:
    """Return the settings of a transactional producer, without its transactional id."""
    return {
        "bootstrap.servers": plan.bootstrap,
        "transaction.timeout.ms": TIMEOUT_MS,
        "max.block.ms": STEP_MS,
        **batches(plan.load),
        **timeouts(plan.client_timeout_ms),
    }


def consumer_settings(plan: WorkloadPlan) -> Settings:
    """Return the settings of a consumer without a group that reads committed records."""
    return {
        "bootstrap.servers": plan.bootstrap,
        "enable.auto.commit": _flag(False),
        "auto.offset.reset": "none",
        "isolation.level": "read_committed",
        "allow.auto.create.topics": _flag(False),
        "fetch.max.wait.ms": 100,
    }


def member_settings(plan: WorkloadPlan) -> Settings:
    """Return the settings of every member of a group."""
    return {
        **consumer_settings(plan),
        "auto.offset.reset": "earliest",
        **timeouts(plan.client_timeout_ms),
    }


def timeouts(timeout_ms: int | None) -> Settings:
    """Return the timeouts of a client; none for the library's own."""
    if timeout_ms is None:
        return {}
    return {
        "request.timeout.ms": timeout_ms,
        "reconnect.backoff.ms": min(timeout_ms, RECONNECT_MS),
        "reconnect.backoff.max.ms": timeout_ms,
    }


def _flag(value: bool) -> str:
    return str(value).lower()
