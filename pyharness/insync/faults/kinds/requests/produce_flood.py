"""`produce-flood`: clients write to another topic as fast as the brokers take it.

It is load and no fault: a leader that is busy with it must not count as one that hangs. The topic
keeps little of what it gets. Evidence: how many records were acked, and how often a producer had
to wait because the brokers were behind.
"""

import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from insync.faults.base import Fault, await_ended
from insync.faults.kind import FaultKind, KindWords, Tags, counted
from insync.faults.spec import Lasting
from insync.running import Running

PARTITIONS: Final = 4
_BEYOND_S: Final = 20.0  # how long a producer outlives its time, if lifts before its own take long
_ENDS_WITHIN_S: Final = 10.0
_SMALL: Final[Mapping[str, str | None]] = {
    "retention.bytes": str(32 << 20),
    "segment.bytes": str(8 << 20),
    "file.delete.delay.ms": "1000",
}
_PRODUCER: Final = """
import sys, time
from confluent_kafka import Producer
bootstrap, topic, partitions, size, seconds, file = sys.argv[1:]
acked = full = 0
def done(error, message):
    global acked
    acked += error is None
producer = Producer({
    "bootstrap.servers": bootstrap, "acks": "all", "queue.buffering.max.kbytes": 16384,
    "on_delivery": done,
})
value, until, number, written = bytes(int(size)), time.monotonic() + float(seconds), 0, 0.0
while time.monotonic() < until:
    try:
        producer.produce(topic, value, partition=number % int(partitions))
        number += 1
    except BufferError:
        full += 1
        producer.poll(0.05)
    producer.poll(0)
    if time.monotonic() - written > 0.5:
        written = time.monotonic()
        with open(file, "w") as out:
            out.write(f"{acked} {full}")
"""


class ProduceFlood(Lasting):
    """So many producers write to a topic that the broker leads, without a limit."""

    kind: Literal["produce-flood"]
    producers: Annotated[int, Field(ge=1, le=16)] = 4
    record_bytes: Annotated[int, Field(ge=1, le=100_000)] = 1_000


class ProduceFloodFault(Fault[ProduceFlood]):
    def plan(self) -> None:
        """Plan it; each producer writes its figures to a file of its own."""
        spec, planned_ms = self.spec, self.context.planned_ms
        folder = self.cluster.node(spec.broker).folder
        name = f"flood-{self.context.repeat}-{planned_ms}"
        self._files = [folder / f"{name}-{each}" for each in range(spec.producers)]
        self._topic = f"{self.context.topic}-flood-{spec.broker}-{planned_ms}"
        self._there = False
        self._producers: list[Running] = []

    def prepare(self) -> None:
        self._there = True  # a creation that fails may succeed later
        self.cluster.make_idle_topic(self._topic, self.spec.broker, PARTITIONS)
        self.cluster.update_topic_configs(self._topic, _SMALL)

    def inject(self) -> None:
        bootstrap = f"127.0.0.1:{self.cluster.node(self.spec.broker).port}"
        seconds = self.context.planned_ms / 1000 + _BEYOND_S
        plan = (self._topic, PARTITIONS, self.spec.record_bytes, seconds)
        command = [sys.executable, "-c", _PRODUCER, bootstrap, *map(str, plan)]
        self._producers = [self.cluster.start([*command, str(file)]) for file in self._files]
        self.window.begin()

    def lift(self) -> None:
        super().lift()
        if self._there:
            self.cluster.delete_topic(self._topic)
            self._there = False

    def end(self) -> None:
        alive = sum(each.poll() is None for each in self._producers)
        for producer in self._producers:
            producer.send_signal(signal.SIGKILL)
        self.window.end()
        await_ended(self._producers, _ENDS_WITHIN_S)
        written = [_figures(file) for file in self._files]
        self.figures = {
            "acked": sum(acked for acked, _ in written),
            "waited": sum(full for _, full in written),
            "alive": alive,
        }
        self.acted = alive and self.figures["waited"]


def _figures(file: Path) -> tuple[float, float]:
    """Return how many records a producer has got acked, and how often it had to wait."""
    words = file.read_text().split() if file.exists() else []
    return (float(words[0]), float(words[1])) if len(words) == 2 else (0.0, 0.0)


KIND = FaultKind(
    spec=ProduceFlood,
    words=KindWords(
        does="clients write to another topic that the broker leads, as fast as it takes it",
        mechanism="producers of the harness with acks=all and no limit",
        evidence="how many records were acked, and how often a producer's queue was full",
        notes="There are `producers` processes (4) with records of `record_bytes` (1,000). The"
        f" topic has {PARTITIONS} partitions and keeps 32 MiB of each, as soon as the broker"
        " looks (`log_retention_check_interval_ms`).",
    ),
    inject=ProduceFloodFault,
    missing=counted("acked", "waited"),
    tags=Tags(once=True, harmless=True, only_planned=True),
)
