"""Publish a run's events live, to a Kafka topic in addition to the files.

The topic is on the cluster of the run, where each arm creates it again, or on another cluster,
where it must exist. Histories from the nodes' logs are read after the cluster has stopped and go
only to the files, except the controller's ISR changes, which `IsrTail` publishes live.
"""

import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from insync import arms
from insync.background import Background
from insync.brokers.cluster.admin import create_topic, require_topic
from insync.brokers.cluster.quorum.metadata_log import isr_events
from insync.errors import InputError, InsyncError
from insync.events.run_info import load_run, run_name
from insync.events.schema import ISR, NUMBER, RUN, EventTopic, line_key, now_ms, origin, run_key
from insync.events.writer import Publish, encode
from insync.nodes import BROKERS, ring
from insync.progress import Progress
from insync.run.arm_cluster import ArmCluster
from insync.run.cell import CellSpec
from insync.run.plan import Plan

EVERY_SECONDS: Final = 5.0


class IsrTail(Background):
    """Reads until the block ends, then one last time; publishes the changes of `topics`.

    The whole log of the controller is read, as at the end for isr.jsonl; only new lines are
    published. A failed read only delays lines; `failure` is the reason if the last read failed.
    """

    def __init__(self, arm_cluster: ArmCluster, topics: Collection[str], publish: Publish) -> None:
        super().__init__("insync-isr-tail", EVERY_SECONDS)
        self._arm_cluster = arm_cluster
        self._topics = {None, *topics}
        self._publish = publish
        self._published = 0
        self.failure: str | None = None

    def _step(self) -> None:
        arm_cluster = self._arm_cluster
        try:
            read = isr_events(arm_cluster.cluster, arm_cluster.kafka, arm_cluster.arm)
            lines = [line for line in read if line.get("topic") in self._topics]
        except (InsyncError, OSError) as error:
            self.failure = str(error)
            return
        self.failure = None
        for line in lines[self._published :]:
            self._publish(encode(line).rstrip(b"\n"))
        self._published = len(lines)

    def __exit__(self, kind: object, *_: object) -> None:
        super().__exit__(kind)
        self._step()


BOOTSTRAP: Final = "events-bootstrap"
"""The file among an arm's nodes that holds the bootstrap address of its topic's cluster."""
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")


@dataclass(frozen=True)
class LiveTopic:
    """The topic for a run's events, and the run's name in its keys."""

    topic: EventTopic
    run: str

    def settings(self, arm: str) -> dict[str, str]:
        """Return the settings that every node of an arm needs for its agent to publish events."""
        if not arms.has_agent(arm):
            return {}
        settings = {
            "insync.events.topic": self.topic.name,
            "insync.events.origin": origin(self.run, arm),
        }
        if self.topic.bootstrap is not None:
            settings["insync.events.bootstrap"] = self.topic.bootstrap
        return settings


def live_topic(plan: Plan) -> LiveTopic | None:
    """Return the topic to publish a run to, None if it is not published; its folder exists."""
    return None if plan.events is None else LiveTopic(plan.events, run_name(load_run(plan.out)))


def check_event_topic(topic: EventTopic) -> None:
    """Raise InputError for an invalid topic name, or a topic missing on another cluster."""
    if not _NAME.fullmatch(topic.name):
        raise InputError(f"--events-topic {topic.name!r}: expected letters, digits, '.', '_', '-'")
    if topic.bootstrap is not None:
        require_topic(topic.bootstrap, topic.name)


@contextmanager
def publish_events(
    live: LiveTopic | None, arm_cluster: ArmCluster, cell: CellSpec, progress: Progress
) -> Iterator[Callable[[str], Publish] | None]:
    """Publish the events of an arm within the block.

    Yields a function from a file's name to the function that publishes its lines; None without
    a topic.
    """
    if live is None:
        yield None
        return
    at = live.topic.bootstrap or _own_topic(live.topic, arm_cluster)
    with Publisher(live.topic, at, live.run) as publisher:
        publisher.run((cell.out / RUN).read_text(encoding="utf-8"))
        progress.phase(f"{arm_cluster.arm}: events go to {live.topic.name} at {at}")
        of_file = partial(publisher.file, arm_cluster.arm)
        with IsrTail(arm_cluster, cell.topics, of_file(ISR)) as tail:
            yield of_file
    if publisher.dropped:
        progress.phase(
            f"{arm_cluster.arm}: {publisher.dropped} events were not published to {live.topic.name}"
        )
    if tail.failure is not None:
        progress.phase(
            f"{arm_cluster.arm}: {live.topic.name} lacks the last ISR changes: {tail.failure}"
        )


def publish_run(live: LiveTopic | None, plan: Plan) -> None:
    """Publish the record of a run, if its topic is on another cluster than the run's own."""
    if live is not None and live.topic.bootstrap is not None:
        with Publisher(live.topic, live.topic.bootstrap, live.run) as publisher:
            publisher.run((plan.out / RUN).read_text(encoding="utf-8"))


def _own_topic(topic: EventTopic, arm_cluster: ArmCluster) -> str:
    """Create the topic on the arm's cluster, a partition per broker; return its bootstrap."""
    at = arm_cluster.cluster.bootstrap
    (arm_cluster.home / BOOTSTRAP).write_text(at, encoding="utf-8")
    create_topic(at, topic.name, [ring(leader) for leader in range(1, BROKERS + 1)], {})
    return at


LINGER_MS: Final = 50
QUEUE_RECORDS: Final = 100_000
FLUSH_SECONDS: Final = 15.0
POLL_SECONDS: Final = 0.2


class Publisher(Background):
    """Sends one run's lines; any thread may. A context manager, which ends with a last flush.

    It is not idempotent, because librdkafka would then use a whole core while a broker does not
    answer (see `insync.workload.producer`). Readers recognize a line that was sent twice by its
    number.
    """

    def __init__(self, topic: EventTopic, bootstrap: str, run: str) -> None:
        super().__init__("insync-publish")
        self._topic = topic.name
        self._run = run
        self._client = Producer(
            {
                "bootstrap.servers": bootstrap,
                "acks": "all",
                "linger.ms": LINGER_MS,
                "queue.buffering.max.messages": QUEUE_RECORDS,
                "log_level": 0,
            }
        )
        self._lock = threading.Lock()
        self._numbers: Counter[str] = Counter()
        self.dropped = 0

    def file(self, arm: str, name: str) -> Publish:
        """Return the function that sends the lines of one file of an arm."""
        key = line_key(self._run, arm, name)
        return lambda line: self._send_next(key, line)

    def run(self, text: str) -> None:
        """Send the current run.json; its number is the time, because each arm sends it again."""
        self._send(run_key(self._run), text.encode(), int(now_ms()))

    def _send_next(self, key: str, value: bytes) -> None:
        with self._lock:
            number = self._numbers[key]
            self._numbers[key] += 1
        self._send(key, value, number)

    def _send(self, key: str, value: bytes, number: int) -> None:
        try:
            self._client.produce(
                self._topic,
                value,
                key,
                headers={NUMBER: str(number).encode()},
                on_delivery=self._answered,
            )
        except (BufferError, KafkaException):
            self._drop(1)

    def _answered(self, error: KafkaError | None, _: Message) -> None:
        if error is not None:
            self._drop(1)

    def _drop(self, lines: int) -> None:
        with self._lock:
            self.dropped += lines

    def _step(self) -> None:
        self._client.poll(POLL_SECONDS)

    def __exit__(self, kind: object, *_: object) -> None:
        super().__exit__(kind)
        self._drop(self._client.flush(FLUSH_SECONDS))
