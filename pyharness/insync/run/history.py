"""What the nodes of an arm leave to be read when it is over: the histories of its topics.

The cluster is stopped first, so that what it writes on its way down is nobody's history and
what the brokers' logs hold is all there is.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final

from insync import arms
from insync.brokers.cluster.quorum.metadata_log import isr_events
from insync.brokers.cluster.replica_logs import batches
from insync.brokers.cluster.roles import roles
from insync.events import agent_log
from insync.events.schema import (
    ISR,
    REPLICA_LOGS,
    ROLES,
    STEP_DOWNS,
    BatchLine,
    Line,
    ReplicaLogLine,
    RoleLine,
    StepDownLine,
    StepDownType,
    batches_file,
    events_dir,
    now_ms,
    topic_name,
)
from insync.events.writer import EventWriter
from insync.nodes import BROKERS, CONTROLLER_ID
from insync.run.plan import Plan
from insync.run.stage import Stage

_TYPES: Final[dict[str, StepDownType]] = {
    "step_down": "asked",
    "step_down_answered": "answered",
    "step_down_withheld": "withheld",
}
_AS_THEY_ARE: Final = (
    "topic", "partition", "leader_epoch", "reason", "pending_ms", "score", "successor",
    "isr_policy", "outcome", "way", "error", "asked_ms",
)  # fmt: skip


def step_downs(stage: Stage) -> Iterator[StepDownLine]:
    """Yield what each broker told, in its order, and that it was read; the cluster has stopped.

    A broker that left no events is not read.
    """
    if stage.agent is None:
        return
    for broker in range(1, BROKERS + 1):
        path = stage.agent.events_file(broker)
        for event in agent_log.read(path):
            if event.get("type") in _TYPES:
                yield _line(stage.arm, broker, event)
        if path.is_file():
            yield StepDownLine(arm=stage.arm, t_ms=now_ms(), broker=broker, type="read")


def _line(arm: str, broker: int, event: dict[str, Any]) -> StepDownLine:
    return StepDownLine(
        arm=arm, t_ms=float(event["t_ms"]), broker=broker, type=_TYPES[event["type"]],
        **{name: event[name] for name in _AS_THEY_ARE if name in event},
    )  # fmt: skip


Told = Iterator[tuple[str | None, Line | Mapping[str, object]]]
"""Lines, each with the topic that it is about; None is about all."""


def write_histories(stage: Stage, plans: Sequence[Plan]) -> None:
    """Stop the cluster and write, of each plan's topics, what controller and brokers left.

    That is isr.jsonl, roles.jsonl, where leaders may step down step-downs.jsonl, and the
    batches of all replicas, and what the nodes' agents told of the topics. Raises InsyncError
    where something is there and cannot be read.
    """
    stage.cluster.stop()
    isr = ((line.get("topic"), line) for line in isr_events(stage.cluster, stage.kafka, stage.arm))
    _write(stage, plans, ISR, isr)
    _write(stage, plans, ROLES, ((role.topic, role) for role in _roles(stage)))
    if arms.steps_down(stage.arm):
        _write(stage, plans, STEP_DOWNS, ((each.topic, each) for each in step_downs(stage)))
    _write_agents(stage, plans)
    _write_logs(stage, plans)


def _write_agents(stage: Stage, plans: Sequence[Plan]) -> None:
    """Write what the nodes' agents told, unless they wrote it into the one plan's folder."""
    if stage.agent is None:
        return
    folders = {events_dir(plan.out, stage.arm).absolute() for plan in plans}
    files = [stage.agent.events_file(node) for node in (*range(1, BROKERS + 1), CONTROLLER_ID)]
    if not files[-1].is_file():
        files.pop()  # a controller may be without the agent
    for file in files:
        if file.parent not in folders:
            events = ((event.get("topic"), event) for event in agent_log.read(file))
            _write(stage, plans, file.name, events)


def _write(stage: Stage, plans: Sequence[Plan], name: str, told: Told) -> None:
    """Write each line for the plans that it concerns."""
    with ExitStack() as files:
        writers = {
            frozenset(_topics(plan)): files.enter_context(
                EventWriter(events_dir(plan.out, stage.arm) / name)
            )
            for plan in plans
        }
        for topic, line in told:
            for topics, writer in writers.items():
                if topic is None or topic in topics:
                    writer.write(line)


def _topics(plan: Plan) -> dict[str, int]:
    """Return the plan's topics with their repeats."""
    repeats = range(plan.scenario.repeats)
    return {topic_name(plan.scenario.name, repeat): repeat for repeat in repeats}


def _roles(stage: Stage) -> Iterator[RoleLine]:
    for node in stage.cluster.nodes.values():
        if node.role == "broker" and node.log.is_file():
            with node.log.open(encoding="utf-8", errors="replace") as printed:
                for role in roles(printed):
                    yield RoleLine(arm=stage.arm, broker=node.id, **role)


def _write_logs(stage: Stage, plans: Sequence[Plan]) -> None:
    """Write every replica's batches, a file per repeat, and a line per log that was read."""
    with ExitStack() as files:
        repeats: dict[str, int] = {}
        of_topic: dict[str, tuple[EventWriter, EventWriter]] = {}
        for plan in plans:
            folder = events_dir(plan.out, stage.arm)
            logs = files.enter_context(EventWriter(folder / REPLICA_LOGS))
            for topic, repeat in _topics(plan).items():
                lines = files.enter_context(EventWriter(folder / batches_file(repeat)))
                repeats[topic], of_topic[topic] = repeat, (lines, logs)
        for found in batches(stage.cluster, stage.kafka, repeats):
            lines, logs = of_topic[found["topic"]]
            known = {"arm": stage.arm, "repeat": repeats[found["topic"]], **found}
            if known.pop("kind") == "batch":
                lines.write(BatchLine(**known))
            else:
                logs.write(ReplicaLogLine(**known))
