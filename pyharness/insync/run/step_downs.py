"""What the brokers' agents told of step-downs, out of the events that they left."""

from collections.abc import Iterator
from typing import Any, Final

from insync.events import agent_log
from insync.events.schema import StepDownLine, StepDownType, now_ms
from insync.run.stage import Stage
from insync.scenario.base import BROKERS

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
