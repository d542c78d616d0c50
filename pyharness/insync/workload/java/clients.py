"""The Java clients of one repeat, with the steps of a workload: start, acks, stop, read back."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from insync.errors import InsyncError
from insync.events.schema import ReadBackLine, now_ms
from insync.workload.java.driver import ANSWER_SECONDS, Driver, Write
from insync.workload.java.plan import java_plan
from insync.workload.plan import WorkloadPlan

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
