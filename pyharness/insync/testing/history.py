"""Check the history of a test's own producers and consumers with the checker of the runs.

Each topic becomes a run folder with the events of its clients. After the test a fresh consumer
reads the topic, and the analysis of the runs finds anomalies, decides and reports.
"""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition

from insync import __version__, engines
from insync.brokers.cluster.admin import await_full
from insync.engines import AnalysisOptions
from insync.errors import InputError, InsyncError
from insync.events.schema import (
    FAULTS,
    LIVENESS,
    PHASES,
    READ_BACK,
    REPORT,
    SCHEMA_VERSION,
    EventLine,
    LivenessLine,
    PhaseLine,
    PhaseType,
    ProduceLine,
    events_dir,
    now_ms,
    repeat_file,
)
from insync.events.writer import EventWriter
from insync.progress import Progress
from insync.run.analysis import analyse
from insync.run.runner import save
from insync.testing.clients import UNKNOWN, RecordedConsumer, RecordedProducer, TopicHistory, read
from insync.testing.clusters import Judged, check
from insync.testing.faults import Injected, leaders_of
from insync.workload.consumer import TopicConsumer
from insync.workload.plan import WorkloadPlan
from insync.workload.value import ReadValue

ANSWERS_WITHIN_S: Final = 30.0
ISR_WITHIN_S: Final = 60.0
Bounds = Mapping[str, Mapping[str, float]]


class History:
    """Records what clients do to topics of a cluster, and checks it.

    The topics must begin at offset 0, and all their records must be sent by its producers.
    """

    def __init__(
        self,
        bootstrap: str,
        folder: Path,
        *,
        kafka: str = "unknown",
        cluster: str = "existing",
        arm: str = "stock",
        lifted: Callable[[], Sequence[Injected]] = tuple,
    ) -> None:
        """Begin an empty history of brokers at `bootstrap`.

        `folder` gets a run folder per topic. The report names `kafka`, the brokers' version,
        `cluster`, what they run as, and `arm`, what they are. `lifted` returns the faults that were
        injected meanwhile.
        """
        self._bootstrap = bootstrap
        self._folder = folder
        self._known = {"kafka": kafka, "cluster": cluster}
        self._arm = arm
        self._lifted = lifted
        self._topics: dict[str, TopicHistory] = {}
        self._numbers, self._consumer_numbers = count(), count()
        self._producers: list[RecordedProducer] = []
        self._acks = "all"
        self._started_ms = now_ms()
        self._name = uuid.uuid4().hex[:12]
        self.verdicts: list[Judged] = []

    @property
    def recorded(self) -> bool:
        """Whether anything was recorded that is not checked yet."""
        return bool(self._topics) and not self.verdicts

    def producer(
        self, client: Producer | Mapping[str, Any], *, idempotent: bool = False, acks: str = "all"
    ) -> RecordedProducer:
        """Return a producer whose records are checked.

        `client` is a producer, or the config of one for this cluster. For a producer say whether it
        is idempotent, and its acks, if it does not wait for all replicas.
        """
        if isinstance(client, Mapping):
            config = {"bootstrap.servers": self._bootstrap, **client}
            idempotent = str(config.get("enable.idempotence", "false")).lower() == "true"
            acks = str(config.get("acks", config.get("request.required.acks", "all")))
            client = Producer(config)
        if acks not in ("all", "-1"):
            self._acks = "1"
        made = RecordedProducer(
            client, self._topic, next(self._numbers), self._arm, idempotent=idempotent
        )
        self._producers.append(made)
        return made

    def consumer(self, client: Consumer | Mapping[str, Any]) -> RecordedConsumer:
        """Return a consumer whose reads are checked; `client` as for a producer."""
        if isinstance(client, Mapping):
            client = Consumer({"bootstrap.servers": self._bootstrap, **client})
        return RecordedConsumer(client, self._topic, self._consumer_numbers, self._arm)

    def check(self, *, expect: Bounds | None = None, verdict: str = "pass") -> list[Judged]:
        """End the history, check each topic, and return the verdicts.

        `expect` has bounds on metrics, such as {"max_ack_gap_ms": {"max": 5_000}}; that nothing is
        lost or corrupted is always expected. Raises VerdictError if a topic's verdict is another
        one than `verdict`, and InputError without the extra 'analysis', or without any record.
        """
        engines.require_analysis("history.check")
        if not self._topics:
            raise InputError("history: no record was sent or read, expected one or more")
        for producer in self._producers:
            producer.flush(ANSWERS_WITHIN_S)
        folders = [self._write(topic, expect or {}) for topic in self._topics.values()]
        found = analyse(folders, AnalysisOptions(), Progress())
        self.verdicts = [
            Judged(f"history of topic {topic}", each, folder / REPORT)
            for topic, folder, each in zip(self._topics, folders, found, strict=True)
        ]
        check(self.verdicts, verdict)
        return self.verdicts

    def close(self) -> None:
        """Let go of the producers: those that nobody else has end their connections."""
        self._producers.clear()

    def _topic(self, name: str) -> TopicHistory:
        return self._topics.setdefault(name, TopicHistory(name, self._name))

    def _write(self, topic: TopicHistory, expect: Bounds) -> Path:
        """Read the topic back, and write its run folder."""
        folder = self._folder / topic.topic
        leaders = leaders_of(self._bootstrap, topic.topic)
        events = events_dir(folder, self._arm)
        self._await_isr(topic.topic, events)
        self._phase(events, "cluster_ready", self._started_ms)
        self._phase(events, "repeat_started", self._started_ms, topic.topic)
        self._phase(events, "repeat_ended", now_ms(), topic.topic)
        consume = events / repeat_file("consume", 0)
        with EventWriter(consume) as consumed, EventWriter(events / READ_BACK) as ends:
            _write_all(consumed, topic.consumed)
            seen = {line.seq: line.partition for line in topic.consumed}
            self._read_back(topic.topic, len(leaders), consumed, ends, seen)
        with EventWriter(events / repeat_file("produce", 0)) as produced:
            _write_all(produced, [*topic.produced, *_unanswered(topic, seen)])
        with EventWriter(events / FAULTS) as faults:
            _write_all(faults, [each.line for each in self._lifted()])
        save(self._run(leaders, expect), folder)
        return folder

    def _await_isr(self, topic: str, events: Path) -> None:
        """Wait until every ISR of the topic is full, and record one that does not recover."""
        last = await_full(self._bootstrap, topic, time.monotonic() + ISR_WITHIN_S)
        with EventWriter(events / LIVENESS) as lines:
            if last is not None:
                lines.write(
                    LivenessLine(
                        type="isr_not_recovered", t_ms=now_ms(), arm=self._arm, repeat=0, node=None,
                        note=f"topic {topic}: ISR not full in {ISR_WITHIN_S:.0f} s: {last}",
                    )
                )  # fmt: skip

    def _phase(self, events: Path, kind: PhaseType, t_ms: float, topic: str | None = None) -> None:
        with EventWriter(events / PHASES) as phases:
            repeat = -1 if topic is None else 0
            phases.write(PhaseLine(type=kind, t_ms=t_ms, arm=self._arm, repeat=repeat, topic=topic))

    def _read_back(
        self,
        topic: str,
        number: int,
        consumed: EventWriter,
        ends: EventWriter,
        seen: dict[int, int],
    ) -> None:
        """Read the whole topic with a fresh consumer; `seen` gets where each record is."""
        plan = WorkloadPlan(
            bootstrap=self._bootstrap, arm=self._arm, repeat=0, topic=topic,
            partitions=range(number), rate=1, producers=1, record_bytes=0, seed=0,
            drain_seconds=ANSWERS_WITHIN_S,
        )  # fmt: skip
        failed: list[BaseException] = []
        reader = _FreshReader(plan, consumed, failed.append, self._name, seen)
        reader.start()
        try:
            reader.read_to(self._ends(topic, number), ANSWERS_WITHIN_S)
        finally:
            reader.cut()
            reader.join(ANSWERS_WITHIN_S)
            _write_all(ends, list(reader.read_back()))
        if failed:
            raise InsyncError(f"history: topic {topic}: {failed[0]!r}") from failed[0]

    def _ends(self, topic: str, number: int) -> dict[int, int]:
        client = Consumer(
            {"bootstrap.servers": self._bootstrap, "group.id": "insync", "log_level": 0}
        )
        try:
            return {
                partition: client.get_watermark_offsets(
                    TopicPartition(topic, partition), timeout=ANSWERS_WITHIN_S
                )[1]
                for partition in range(number)
            }
        except KafkaException as error:
            raise InsyncError(f"history: end offsets of {topic}: {error.args[0].str()}") from error
        finally:
            client.close()

    def _run(self, leaders: Sequence[int], expect: Bounds) -> dict[str, Any]:
        """Return the record of the run; only what clients saw is in it."""
        bounds = {"acked": {"min": 0}, **expect}
        return {
            "schema": SCHEMA_VERSION,
            "scenario_name": "history",
            "scenario": {
                "summary": "the clients of a test",
                "min_insync_replicas": 1,
                "broker": {"replica_lag_time_max_ms": 30_000},
                "workload": {"leaders": list(leaders), "acks": self._acks},
                "faults": [dict(each.planned) for each in self._lifted()],
                "expect": {self._arm: bounds},
            },
            **self._known,
            "clients_only": True,
            "scale": 1.0,
            "seed": 0,
            "arms": [self._arm],
            "repeats": 1,
            "started_ms": self._started_ms,
            "finished_ms": now_ms(),
            "host": {"insync": __version__},
        }


class _FreshReader(TopicConsumer):
    """A fresh consumer of the history's records; `seen` gets the partition of each."""

    def __init__(
        self,
        plan: WorkloadPlan,
        writer: EventWriter,
        on_failure: Callable[[BaseException], None],
        history: str,
        seen: dict[int, int],
    ) -> None:
        super().__init__(plan, writer, on_failure, fresh=True)
        self._history = history
        self._seen = seen

    def said_by(self, message: Message, partition: int) -> ReadValue:
        """Return what the record's header says."""
        said = read(message, self._history)
        self._seen.setdefault(said.seq, partition)
        return said


def _unanswered(topic: TopicHistory, seen: Mapping[int, int]) -> list[ProduceLine]:
    """Return the lines of records without an answer; a partition that nobody saw is left out.

    Such a record was neither acked nor read, so that no anomaly can be about it.
    """
    placed = [
        replace(line, partition=seen.get(line.seq, line.partition))
        for line in topic.unanswered.values()
    ]
    return [line for line in placed if line.partition != UNKNOWN]


def _write_all(writer: EventWriter, lines: Sequence[EventLine]) -> None:
    for line in lines:
        writer.write(line)
