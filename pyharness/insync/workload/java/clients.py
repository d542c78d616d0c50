"""The Java clients of one repeat, with the steps of a workload: start, acks, stop, read back."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Final

from insync.clients import Library
from insync.errors import InsyncError
from insync.events.schema import SCHEMA_VERSION, ReadBackLine, now_ms
from insync.workload.java.driver import ANSWER_SECONDS, Driver, Write
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
    """Return the keys of the plan; `consumer` is the number of its consumer.

    | key | |
    |---|---|
    | `v`, `arm`, `repeat`, `topic` | the first fields of every event line |
    | `partitions`, `all_partitions` | their number, and all of them |
    | `lanes.P` | the producers of partition P, by number |
    | `rate.P` or `burst.P` | its records per second; or RECORDS:TIME,TIME,... in seconds |
    | `producers` | how many clients share a partition's rate, of all libraries |
    | `record_bytes`, `idempotent`, `seed`, `drain_ms`, `keys`, `key_skew` | as in the plan |
    | `next_life`, `lane_bits` | how producers and their records are numbered |
    | `transactions.KEY` | `ids` as NUMBER:ID,..., the number of `producers`, the plan's figures |
    | `groups`, `group.N.KEY` | all groups; of group N its `members`, and the plan's figures |
    | `consumer_number` | the number of the consumer in its event lines |
    | `producer.*`, `burst_producer.*`, `transactional.*` | settings of producers |
    | `consumer.*`, `member.*`, `group.N.settings.*` | settings of consumers |
    """
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


ALONE: Final = 0
BESIDE: Final = 1
"""The number of the Java consumer where librdkafka's is number 0."""
LATE_SECONDS: Final = 10.0  # how much later than planned its answer may come


class JavaClients:
    """The producers and the consumer of a repeat that run in the JVM."""

    def __init__(
        self,
        driver: Driver,
        plan: WorkloadPlan,
        writers: Mapping[str, Write],
        on_failure: Callable[[BaseException], None],
    ) -> None:
        """Create the clients; `writers` write the lines of each kind of event."""
        self._driver, self._plan = driver, plan
        self._number = BESIDE if plan.client == "both" else ALONE
        driver.open(java_plan(plan, self._number), writers, on_failure)

    def start(self) -> None:
        """Start to produce and to consume; the topic must exist."""
        self._driver.send("start")
        self._driver.answer("started", ANSWER_SECONDS)

    def await_acks(self, seconds: float) -> None:
        """Wait until every producer has its first ack or commit; raises InsyncError if not."""
        self._driver.answer("acked", seconds)

    def late_ms(self) -> float:
        """Return for how long the oldest record of a plain producer has waited for its ack."""
        self._driver.send("late")
        return float(self._driver.answer("late", ANSWER_SECONDS).split()[1])

    def stop(self) -> None:
        """Tell the producers to stop."""
        self._driver.send("stop")

    def await_stopped(self) -> None:
        """Wait until the producers have their last answers, at most the plan's drain time."""
        self._driver.answer("stopped", self._plan.drain_seconds + LATE_SECONDS)

    def reader(self, *, fresh: bool = False) -> "JavaReader":
        """Return the running consumer, or a `fresh` one, which begins to read."""
        if fresh:
            self._driver.send("reread")
            self._driver.answer("rereading", ANSWER_SECONDS)
        return JavaReader(self._driver, self._plan, self._number, fresh=fresh)

    def close(self) -> None:
        """End the clients."""
        self._driver.end_workload()


class JavaReader:
    """One consumer of the JVM, which reads up to the end offsets that it is given."""

    def __init__(self, driver: Driver, plan: WorkloadPlan, number: int, *, fresh: bool) -> None:
        self._driver, self._plan, self._number, self._fresh = driver, plan, number, fresh
        self._ends: Mapping[int, int] = {}
        self._next: Mapping[int, int] = dict.fromkeys(plan.partitions, 0)

    @property
    def positions(self) -> Mapping[int, int]:
        """Return the next offset to read of each partition, once it was told where to end."""
        return self._next

    def read_to(self, ends: Mapping[int, int], seconds: float) -> None:
        """Wait until every record below the offsets `ends` was read.

        Raises InsyncError with the last positions and error if nothing was read for `seconds`.
        """
        self._ends = ends
        listed = ",".join(f"{partition}:{end}" for partition, end in ends.items())
        word, read = "short", None
        while word != "read" and self._next != read:
            read = self._next
            self._driver.send(f"read {round(seconds * 1000)} {listed}")
            answer = self._driver.answer("read", seconds + LATE_SECONDS, other="short")
            word, positions, error = answer.split(" ", 2)
            self._next = _by_partition(positions)
        if word != "read":
            raise InsyncError(
                f"read-back of {self._plan.topic} by the Java client not complete, nothing was read"
                f" for {seconds:g} s: at offsets {self._next} of {dict(ends)}, last error: {error}"
            )

    def read_back(self) -> Iterator[ReadBackLine]:
        """Yield how far each partition was read; nothing before the end offsets are known."""
        for partition, end in self._ends.items():
            yield ReadBackLine(
                arm=self._plan.arm, repeat=self._plan.repeat, topic=self._plan.topic, t_ms=now_ms(),
                partition=partition, consumer=self._number, fresh=self._fresh,
                position=self._next[partition], end_offset=end,
            )  # fmt: skip


def _by_partition(text: str) -> dict[int, int]:
    pairs = (each.split(":") for each in text.split(","))
    return {int(partition): int(offset) for partition, offset in pairs}
