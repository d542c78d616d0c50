"""Write the Java clients' share of a workload's plan as keys and values.

| key | |
|---|---|
| `v`, `arm`, `repeat`, `topic` | the first fields of every event line |
| `partitions`, `all_partitions` | their number, and all of them |
| `lanes.P` | the producers of partition P, by number |
| `rate.P` or `burst.P` | its records per second; or RECORDS:TIME,TIME,... in seconds |
| `producers` | how many clients share a partition's rate, of all libraries |
| `record_bytes`, `idempotent`, `seed`, `drain_ms`, `keys`, `key_skew` | as in the plan |
| `next_life`, `lane_bits` | how producers and their records are numbered |
| `transactions.KEY` | `ids` as NUMBER:ID,..., the number of `producers`, and the plan's figures |
| `groups`, `group.N.KEY` | all groups; of group N its `members` by number, and the plan's figures |
| `consumer_number` | the number of the consumer in its event lines |
| `producer.*`, `burst_producer.*`, `transactional.*` | settings of producers |
| `consumer.*`, `member.*`, `group.N.settings.*` | settings of consumers |
"""

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Final

from insync.clients import Library
from insync.events.schema import SCHEMA_VERSION
from insync.workload.plan import LANE_BITS, NEXT_LIFE, WorkloadPlan, burst_times
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


OWN: Final[Library] = "java"
LONGEST_SECONDS: Final = 1_800.0
"""For so long the times of bursts are planned; no repeat is longer."""


def java_plan(plan: WorkloadPlan, consumer: int) -> dict[str, str]:
    """Return the keys of the plan; `consumer` is the number of its consumer."""
    keys = {
        "v": SCHEMA_VERSION, "arm": plan.arm, "repeat": plan.repeat, "topic": plan.topic,
        "partitions": len(plan.partitions), "all_partitions": _listed(plan.partitions),
        "producers": plan.producers, "record_bytes": plan.record_bytes,
        "idempotent": str(plan.idempotent).lower(), "seed": plan.seed,
        "drain_ms": round(plan.drain_seconds * 1000), "next_life": NEXT_LIFE,
        "lane_bits": LANE_BITS, "consumer_number": consumer,
        **_of_partitions(plan), **_of_keys(plan), **_of_transactions(plan), **_of_groups(plan),
        **_settings(plan),
    }  # fmt: skip
    return {key: str(value) for key, value in keys.items()}


def _of_partitions(plan: WorkloadPlan) -> Mapping[str, object]:
    keys: dict[str, object] = {}
    for partition in plan.partitions:
        keys[f"lanes.{partition}"] = _listed(plan.lanes(OWN, partition))
        burst = plan.bursts.get(partition)
        if burst is None:
            keys[f"rate.{partition}"] = plan.rate_of(partition)
        else:
            times = takewhile(
                lambda after: after < LONGEST_SECONDS, burst_times(plan, partition, burst.every)
            )
            listed = ",".join(f"{after:.6f}" for after in times)
            keys[f"burst.{partition}"] = f"{burst.records}:{listed}"
    return keys


def _of_keys(plan: WorkloadPlan) -> Mapping[str, object]:
    return {"keys": plan.load.keys, "key_skew": plan.load.key_skew} if plan.load.keys else {}


def _of_transactions(plan: WorkloadPlan) -> Mapping[str, object]:
    own = plan.transactions
    numbers = plan.transactional(OWN)
    if own is None or not numbers:
        return {}
    return {
        "transactions.ids": ",".join(f"{number}:{own.ids[number]}" for number in numbers),
        "transactions.producers": len(own.ids), "transactions.per_second": own.per_second,
        "transactions.records": own.records, "transactions.abort_percent": own.abort_percent,
    }  # fmt: skip


def _of_groups(plan: WorkloadPlan) -> Mapping[str, object]:
    keys: dict[str, object] = {"groups": _listed(group.number for group in plan.groups)}
    for group in plan.groups:
        own = {
            "protocol": group.protocol, "size": group.members,
            "members": _listed(plan.members(OWN, group)),
            "commit_ms": round(group.commit_every * 1000),
            **{f"settings.{name}": value for name, value in group.settings.items()},
        }  # fmt: skip
        if group.rejoin_every is not None:
            own["rejoin_ms"] = round(group.rejoin_every * 1000)
        keys |= {f"group.{group.number}.{name}": value for name, value in own.items()}
    return keys


def _settings(plan: WorkloadPlan) -> Mapping[str, object]:
    of_clients = {
        "producer": producer_settings(plan),
        "burst_producer": producer_settings(plan, bursts=True),
        "transactional": transactional_settings(plan),
        "consumer": consumer_settings(plan),
        "member": member_settings(plan),
    }
    return {
        f"{client}.{name}": value
        for client, settings in of_clients.items()
        for name, value in settings.items()
    }


def _listed(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))
