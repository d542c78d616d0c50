"""Send a run's event lines to a Kafka topic without waiting, and count the lines it drops.

The producer is not idempotent, because librdkafka would then use a whole core while a broker does
not answer (see `insync.workload.producer`). Readers recognize a line that was sent twice by its
number.
"""

import threading
from collections import Counter
from types import TracebackType
from typing import Final, Self

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from insync.events.schema import now_ms
from insync.events.topic import NUMBER, EventTopic, line_key, run_key
from insync.events.writer import Publish

LINGER_MS: Final = 50
QUEUE_RECORDS: Final = 100_000
FLUSH_SECONDS: Final = 15.0
POLL_SECONDS: Final = 0.2


class Publisher:
    """Sends one run's lines, from any thread; a context manager that flushes at its end."""

    def __init__(self, topic: EventTopic, bootstrap: str, run: str) -> None:
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
        self._over = threading.Event()
        self._served = threading.Thread(target=self._serve, name="insync-publish", daemon=True)
        self.sent = 0
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
            self._count(dropped=1)

    def _answered(self, error: KafkaError | None, _: Message) -> None:
        self._count(sent=error is None, dropped=error is not None)

    def _count(self, sent: int = 0, dropped: int = 0) -> None:
        with self._lock:
            self.sent += sent
            self.dropped += dropped

    def _serve(self) -> None:
        while not self._over.is_set():
            self._client.poll(POLL_SECONDS)

    def __enter__(self) -> Self:
        self._served.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._served.join()
        left = self._client.flush(FLUSH_SECONDS)
        self._count(dropped=left)
