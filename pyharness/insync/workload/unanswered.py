"""Track the unanswered records of one producer, and write each one's line once it has an answer."""

import time
from dataclasses import replace

from confluent_kafka import KafkaError, Message

from insync.events.schema import ProduceLine, now_ms
from insync.events.writer import EventWriter


class Unanswered:
    """Keeps the lines of records until they are settled; all but `oldest_ms` is for one thread."""

    def __init__(self, writer: EventWriter) -> None:
        self._writer = writer
        self._waiting: dict[int, tuple[float, ProduceLine]] = {}  # seq -> due (monotonic), line

    def __len__(self) -> int:
        return len(self._waiting)

    def oldest_ms(self) -> float:
        """Return for how long the oldest record has waited for its answer; 0 if none waits."""
        dues = [due for due, _ in list(self._waiting.values())]
        return (time.monotonic() - min(dues)) * 1000 if dues else 0.0

    def add(self, line: ProduceLine, due: float) -> None:
        """Keep a record; its latency counts from `due` (monotonic seconds)."""
        self._waiting[line.seq] = (due, line)

    def answer(self, seq: int, error: KafkaError | None, message: Message) -> None:
        """Settle a record as the client library reports it."""
        if error is None:
            self.settle(seq, offset=message.offset())
        else:
            self.settle(seq, error=error.name())

    def settle(self, seq: int, *, error: str | None = None, offset: int | None = None) -> None:
        """Write the line of an answered record."""
        due, line = self._waiting.pop(seq)
        latency_ms = (time.monotonic() - due) * 1000
        self._writer.write(
            replace(line, done_ms=now_ms(), latency_ms=latency_ms, error=error, offset=offset)
        )

    def fail(self, error: str) -> None:
        """Settle all records after their client failed; whether a broker has them is unknown."""
        for seq in list(self._waiting):
            self.settle(seq, error=error)

    def give_up(self) -> None:
        """Write the lines of records that were never answered."""
        for _, line in self._waiting.values():
            self._writer.write(line)
        self._waiting.clear()
