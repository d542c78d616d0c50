"""The Java clients of one repeat, with the steps of a workload, in a JVM (plugin-java/clients).

`Main.java` there lists the commands and answers. A thread reads the answers, so that the JVM never
waits for the harness. The JVM ends when its standard input does.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import takewhile
from typing import IO, Final, Protocol

from insync.clients import Library
from insync.errors import InsyncError
from insync.events.schema import SCHEMA_VERSION
from insync.running import Running
from insync.workload.consumer import Reader
from insync.workload.plan import LANE_BITS, NEXT_LIFE, WorkloadPlan, burst_times
from insync.workload.producer import DELIVERY_MS, QUEUE_KBYTES, batches, timeouts

ANSWER_SECONDS: Final = 30.0
READY: Final = "ready"
FAILED: Final = "failed"

Write = Callable[[bytes], None]


class Jvm(Running, Protocol):
    """The running JVM; a `subprocess.Popen` with pipes is one."""

    stdin: IO[bytes] | None
    stdout: IO[bytes] | None


class Driver:
    """One JVM, which runs one workload after the other."""

    def __init__(self, jvm: Jvm, log: str) -> None:
        """Read the answers of `jvm`; errors name its `log`."""
        if jvm.stdin is None or jvm.stdout is None:
            raise InsyncError("the Java clients' process has no pipes")
        self.process: Running = jvm
        self._log = log
        self._input, self._output = jvm.stdin, jvm.stdout
        self._changed = threading.Condition()
        self._answers: dict[str, str] = {}
        self._failure: InsyncError | None = None
        self._writers: Mapping[str, Write] = {}
        self._on_failure: Callable[[BaseException], None] = lambda _: None
        self._reader = threading.Thread(target=self._read, name="java-clients", daemon=True)
        self._reader.start()

    def open(
        self,
        plan: Mapping[str, str],
        writers: Mapping[str, Write],
        on_failure: Callable[[BaseException], None],
    ) -> None:
        """Create the clients of a plan; `writers` write the lines of each kind of event."""
        self.answer(READY, ANSWER_SECONDS, keep=True)
        self._writers, self._on_failure = writers, on_failure
        self.send("open", *(f"{key}={value}" for key, value in plan.items()), "")
        self.answer("opened", ANSWER_SECONDS)

    def send(self, *lines: str) -> None:
        """Write lines to the JVM; raises InsyncError if it has ended."""
        try:
            self._input.write("".join(f"{line}\n" for line in lines).encode())
            self._input.flush()
        except (OSError, ValueError) as error:  # ValueError: closed
            raise self._failure or self._error("ended") from error

    def answer(self, word: str, seconds: float, *, other: str = "", keep: bool = False) -> str:
        """Wait for an answer, or the `other` one; return the whole line, and forget it.

        With `keep` it is not forgotten. Raises InsyncError if a client has failed, or if the answer
        takes longer than `seconds`.
        """
        with self._changed:
            words = (word, other)
            self._changed.wait_for(
                lambda: self._failure or any(each in self._answers for each in words), seconds
            )
            if self._failure is not None:
                raise self._failure
            found = next((each for each in words if each in self._answers), None)
            if found is None:
                raise self._error(f"no answer '{word}' within {seconds:.0f} s")
            return self._answers[found] if keep else self._answers.pop(found)

    def end_workload(self) -> None:
        """Close the clients of the open plan; the JVM can then run another one."""
        self._on_failure = lambda _: None
        with suppress(InsyncError):  # what failed is known already
            self.send("close")
            self.answer("closed", ANSWER_SECONDS)
        self._writers = {}
        with self._changed:
            self._answers = {READY: READY}

    def close(self) -> None:
        with suppress(OSError):
            self._input.close()

    def _read(self) -> None:
        """Handle every line until the JVM ends."""
        try:
            for line in self._output:
                self._handle(line)
        except (OSError, ValueError) as error:  # a file of events, or the pipe
            self._fail(self._error(repr(error)))
        else:
            self._fail(self._error("ended"))

    def _handle(self, line: bytes) -> None:
        word, _, rest = line.rstrip(b"\n").partition(b" ")
        kind = word.decode()
        if kind in self._writers:
            self._writers[kind](rest + b"\n")
        elif kind == FAILED:
            self._fail(self._error(rest.decode(errors="replace")))
        else:
            with self._changed:
                self._answers[kind] = line.decode().rstrip("\n")
                self._changed.notify_all()

    def _fail(self, error: InsyncError) -> None:
        with self._changed:
            self._failure = self._failure or error
            self._changed.notify_all()
        self._on_failure(error)

    def _error(self, problem: str) -> InsyncError:
        return InsyncError(f"Java clients: {problem}, see {self._log}")


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
        **_timeouts(plan),
    }


def transactional_settings(plan: WorkloadPlan) -> Settings:
    """Return the settings of a transactional producer, without its transactional id."""
    return {
        "bootstrap.servers": plan.bootstrap,
        **({"transaction.timeout.ms": own.timeout_ms} if (own := plan.transactions) else {}),
        "max.block.ms": STEP_MS,
        **batches(plan.load),
        **_timeouts(plan),
    }


def consumer_settings(plan: WorkloadPlan) -> Settings:
    """Return the settings of a consumer without a group that reads committed records."""
    return {
        "bootstrap.servers": plan.bootstrap,
        "enable.auto.commit": _flag(False),
        "auto.offset.reset": "earliest" if plan.begins_again else "none",
        "isolation.level": "read_committed",
        "allow.auto.create.topics": _flag(False),
        "fetch.max.wait.ms": plan.empty_fetch_ms,
    }


def member_settings(plan: WorkloadPlan) -> Settings:
    """Return the settings of every member of a group."""
    return {
        **consumer_settings(plan),
        "auto.offset.reset": "earliest",
        **_timeouts(plan),
    }


def _timeouts(plan: WorkloadPlan) -> Settings:
    """Return the timeouts of a client; none for the library's own."""
    own = timeouts(plan.client_timeout_ms)
    return {name: value for name, value in own.items() if name != "socket.timeout.ms"}


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
        **_of_partitions(plan), **_of_transactions(plan), **_of_groups(plan),
        **({"keys": plan.load.keys, "key_skew": plan.load.key_skew} if plan.load.keys else {}),
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
        plan = self._plan
        if plan.transactional(OWN) or any(plan.lanes(OWN, each) for each in plan.partitions):
            self._driver.answer("acked", seconds)

    def late_ms(self) -> float:
        """Return for how long the oldest record of a plain producer has waited for its ack."""
        self._driver.send("late")
        return float(self._driver.answer("late", ANSWER_SECONDS).split()[1])

    def stop(self) -> None:
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
        self._driver.end_workload()


class JavaReader(Reader):
    """One consumer of the JVM, which reads up to the end offsets that it is given."""

    def __init__(self, driver: Driver, plan: WorkloadPlan, number: int, *, fresh: bool) -> None:
        super().__init__(plan, number, fresh=fresh)
        self._driver = driver

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
            pairs = (each.split(":") for each in positions.split(","))
            self._next = {int(partition): int(offset) for partition, offset in pairs}
        if word != "read":
            raise self.not_complete(seconds, error, by=" by the Java client")
