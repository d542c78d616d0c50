"""What the nodes of an arm leave to be read when it is over: the histories of its topics.

The cluster is stopped first, so that what it writes on its way down is nobody's history and
what the brokers' logs hold is all there is.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from insync.cluster.metadata_log import isr_events
from insync.cluster.replica_logs import batches
from insync.cluster.roles import roles
from insync.events.schema import (
    ISR,
    REPLICA_LOGS,
    ROLES,
    BatchLine,
    ReplicaLogLine,
    RoleLine,
    batches_file,
    events_dir,
    topic_name,
)
from insync.events.writer import EventWriter
from insync.run.plan import Plan
from insync.run.stage import Stage


@dataclass(frozen=True, slots=True)
class _Topic:
    """One repeat's topic, and where what is known of it goes."""

    repeat: int
    folder: Path


def write_histories(stage: Stage, plans: Sequence[Plan]) -> None:
    """Stop the cluster and write, of each plan's topics, what controller and brokers left.

    That is isr.jsonl (with all brokers' fencing), roles.jsonl, and the batches of all
    replicas. Raises InsyncError where something is there and cannot be read.
    """
    stage.cluster.stop()
    topics = {
        topic_name(plan.scenario.name, repeat): _Topic(repeat, events_dir(plan.out, stage.arm))
        for plan in plans
        for repeat in range(plan.scenario.repeats)
    }
    _write_isr(stage, topics)
    _write_roles(stage, topics)
    _write_logs(stage, topics)


def _write_isr(stage: Stage, topics: dict[str, _Topic]) -> None:
    folders = {topic.folder for topic in topics.values()}
    with _writers(folders, ISR) as writers:
        for line in isr_events(stage.cluster, stage.kafka, stage.arm):
            name = line.get("topic")
            if name is None:
                for writer in writers.values():
                    writer.write(line)
            elif name in topics:
                writers[topics[name].folder].write(line)


def _write_roles(stage: Stage, topics: dict[str, _Topic]) -> None:
    with _writers({topic.folder for topic in topics.values()}, ROLES) as writers:
        for node in stage.cluster.nodes.values():
            if node.role != "broker" or not node.log.exists():
                continue
            with node.log.open(encoding="utf-8", errors="replace") as printed:
                for role in roles(printed):
                    if role["topic"] in topics:
                        line = RoleLine(arm=stage.arm, broker=node.id, **role)
                        writers[topics[role["topic"]].folder].write(line)


def _write_logs(stage: Stage, topics: dict[str, _Topic]) -> None:
    with ExitStack() as files, _writers({t.folder for t in topics.values()}, REPLICA_LOGS) as logs:
        of_topics = {
            name: files.enter_context(EventWriter(topic.folder / batches_file(topic.repeat)))
            for name, topic in topics.items()
        }
        for found in batches(stage.cluster, stage.kafka, topics):
            topic = topics[found["topic"]]
            if found.pop("kind") == "batch":
                batch = BatchLine(arm=stage.arm, repeat=topic.repeat, **found)
                of_topics[found["topic"]].write(batch)
            else:
                logs[topic.folder].write(
                    ReplicaLogLine(arm=stage.arm, repeat=topic.repeat, **found)
                )


@contextmanager
def _writers(folders: set[Path], name: str) -> Iterator[dict[Path, EventWriter]]:
    """Open the file of that name in each folder."""
    with ExitStack() as files:
        yield {folder: files.enter_context(EventWriter(folder / name)) for folder in folders}
