"""What the agents counted, asked of each broker over the bridge."""

from typing import Final

from insync import arms
from insync.errors import InsyncError
from insync.events.schema import CountersLine, now_ms
from insync.run.context import ArmContext
from insync.scenario.base import BROKERS
from insync_bridge import BridgeClient, BridgeError, Counters

BASE: Final = -1
"""The repeat of a reading before the first one: what the agents had counted until then."""


def write_counters(context: ArmContext, repeat: int) -> None:
    """Write one CountersLine per broker, if the arm has the agent; raises InsyncError."""
    if not arms.has_agent(context.arm):
        return
    for broker in range(1, BROKERS + 1):
        try:
            with BridgeClient.connect(context.stage.bridge / f"bridge-{broker}.json") as client:
                enabled, counters = bool(client.settings()[arms.FEATURE]), client.counters()
        except BridgeError as error:  # the run made the file: no fault of the user's
            raise InsyncError(str(error)) from error
        context.files.counters.write(_line(context, repeat, broker, enabled, counters))


def _line(
    context: ArmContext, repeat: int, broker: int, enabled: bool, counters: Counters
) -> CountersLine:
    return CountersLine(
        arm=context.arm, repeat=repeat, t_ms=now_ms(), broker=broker, enabled=enabled,
        errors=counters.errors, holds_granted=counters.holds_granted,
        marks_total=counters.marks_total, released_total=counters.released_total,
        pending_now=counters.pending_now, held_now=counters.held_now,
        longest_hold_ms=counters.longest_hold_ms, events_dropped=counters.events_dropped,
    )  # fmt: skip
