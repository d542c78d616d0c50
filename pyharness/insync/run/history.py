"""Stop an arm's cluster, then read the histories of its topics from the logs of its nodes.

The cluster is stopped first, so that the logs are complete and contain no changes that an
orderly shutdown would make.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields
from functools import partial
from typing import Any, Final

from insync import arms
from insync.brokers.cluster.clocks import Clocks, created_ms, read_clocks
from insync.brokers.cluster.quorum.metadata_log import isr_events
from insync.brokers.cluster.replica_logs import batches, roles
from insync.errors import InsyncError
from insync.events import agent_log
from insync.events.schema import (
    CLOCKS,
    ISR,
    REPLICA_LOGS,
    ROLES,
    STEP_DOWNS,
    BatchLine,
    ClockLine,
    EventLine,
    ReplicaLogLine,
    RoleLine,
    StepDownLine,
    StepDownType,
    events_dir,
    now_ms,
    repeat_file,
)
from insync.events.writer import EventWriter
from insync.nodes import BROKERS
from insync.run.arm_cluster import ArmCluster
from insync.run.cell import CellSpec

_TYPES: Final[dict[str, StepDownType]] = {
    "step_down": "asked",
    "step_down_answered": "answered",
    "step_down_withheld": "withheld",
}
_AS_THEY_ARE: Final = [field.name for field in fields(StepDownLine) if field.default is None]


def step_downs(arm_cluster: ArmCluster) -> Iterator[StepDownLine]:
    """Yield each broker's step-down events in order, then a "read" line; the cluster has stopped.

    A broker without an event file gets no "read" line.
    """
    if arm_cluster.agent is None:
        return
    for broker in range(1, BROKERS + 1):
        path = arm_cluster.agent.events_file(broker)
        for event in agent_log.read(path):
            if event.get("type") in _TYPES:
                yield _line(arm_cluster.arm, broker, event)
        if path.is_file():
            yield StepDownLine(arm=arm_cluster.arm, t_ms=now_ms(), broker=broker, type="read")


def _line(arm: str, broker: int, event: dict[str, Any]) -> StepDownLine:
    return StepDownLine(
        arm=arm, t_ms=float(event["t_ms"]), broker=broker, type=_TYPES[event["type"]],
        **{name: event[name] for name in _AS_THEY_ARE if name in event},
    )  # fmt: skip


TopicLines = Iterator[tuple[str | None, EventLine | Mapping[str, object]]]
"""Lines, each with its topic; None means that the line concerns all topics."""


def write_histories(arm_cluster: ArmCluster, cells: Sequence[CellSpec]) -> None:
    """Stop the cluster and write what controller and brokers logged about each cell's topics.

    This writes isr.jsonl, roles.jsonl, step-downs.jsonl if leaders may step down, the batches of
    all replicas, the agents' own events, and clocks.jsonl if the nodes' clocks could be read.
    Raises InsyncError if a log cannot be read; what the others hold is written then, too.
    """
    clocks = read_clocks(arm_cluster.cluster.bootstrap, range(1, BROKERS + 1))
    arm_cluster.cluster.stop()
    created: list[float] = []
    lines = {
        ISR: _isr(arm_cluster, created),
        ROLES: ((role.topic, role) for role in _roles(arm_cluster)),
    }
    if clocks is not None:
        lines[CLOCKS] = _clocks(arm_cluster.arm, clocks, created)
    if arms.reports_step_downs(arm_cluster.arm):
        lines[STEP_DOWNS] = ((each.topic, each) for each in step_downs(arm_cluster))
    steps = [partial(_write, arm_cluster, cells, name, own) for name, own in lines.items()]
    steps += [partial(_write_agents, arm_cluster, cells), partial(_write_logs, arm_cluster, cells)]
    errors = []
    for step in steps:
        try:
            step()
        except InsyncError as error:  # the other histories are written all the same
            errors.append(error)
    if errors:
        raise errors[0]


def _isr(arm_cluster: ArmCluster, created: list[float]) -> TopicLines:
    """Yield the controller's lines; append to `created` when it created the topic of clocks."""
    for line in isr_events(arm_cluster.cluster, arm_cluster.kafka, arm_cluster.arm):
        if (at_ms := created_ms(line)) is not None:
            created.append(at_ms)
        yield line.get("topic"), line


def _clocks(arm: str, clocks: Clocks, created: Sequence[float]) -> TopicLines:
    """Yield the readings, when it is known when the controller `created` the topic of clocks."""
    for node, reading in clocks.of_nodes(min(created, default=None)).items():
        line = ClockLine(
            arm=arm, t_ms=reading.answered_ms, broker=node, ahead_ms=reading.ahead_ms,
            error_ms=reading.error_ms,
        )  # fmt: skip
        yield None, line


def _write_agents(arm_cluster: ArmCluster, cells: Sequence[CellSpec]) -> None:
    """Copy the agents' events, unless the agents wrote them directly into a run folder.

    There each node's file is put together of its parts.
    """
    if arm_cluster.agent is None:
        return
    folders = {events_dir(cell.out, arm_cluster.arm).absolute() for cell in cells}
    brokers = range(1, BROKERS + 1)
    files = [arm_cluster.agent.events_file(broker) for broker in brokers]
    for node in arm_cluster.cluster.controllers:
        file = arm_cluster.agent.events_file(node.id)
        if node.id not in brokers and file.is_file():  # a controller may run without the agent
            files.append(file)
    for file in files:
        if file.parent in folders:
            agent_log.join(file)
        else:
            events = ((event.get("topic"), event) for event in agent_log.read(file))
            _write(arm_cluster, cells, file.name, events)


def _write(
    arm_cluster: ArmCluster, cells: Sequence[CellSpec], name: str, topic_lines: TopicLines
) -> None:
    """Write each line for the cells that it concerns."""
    with ExitStack() as files:
        writers = {
            frozenset(cell.topics): files.enter_context(
                EventWriter(events_dir(cell.out, arm_cluster.arm) / name)
            )
            for cell in cells
        }
        for topic, line in topic_lines:
            for topics, writer in writers.items():
                if topic is None or topic in topics:
                    writer.write(line)


def _roles(arm_cluster: ArmCluster) -> Iterator[RoleLine]:
    for node in arm_cluster.cluster.nodes.values():
        if node.role == "broker" and node.log.is_file():
            with node.log.open(encoding="utf-8", errors="replace") as printed:
                for role in roles(printed):
                    yield RoleLine(arm=arm_cluster.arm, broker=node.id, **role)


def _write_logs(arm_cluster: ArmCluster, cells: Sequence[CellSpec]) -> None:
    """Write every replica's batches, one file per repeat, and one line per log that was read."""
    with ExitStack() as files:
        repeats: dict[str, int] = {}
        of_topic: dict[str, tuple[EventWriter, EventWriter]] = {}
        for cell in cells:
            folder = events_dir(cell.out, arm_cluster.arm)
            logs = files.enter_context(EventWriter(folder / REPLICA_LOGS))
            for repeat, topic in enumerate(cell.topics):
                lines = files.enter_context(EventWriter(folder / repeat_file("batches", repeat)))
                repeats[topic], of_topic[topic] = repeat, (lines, logs)
        for found in batches(arm_cluster.cluster, arm_cluster.kafka, repeats):
            lines, logs = of_topic[found["topic"]]
            known = {"arm": arm_cluster.arm, "repeat": repeats[found["topic"]], **found}
            if known.pop("kind") == "batch":
                lines.write(BatchLine(**known))
            else:
                logs.write(ReplicaLogLine(**known))
