"""What stands before a repeat's faults and again after them: every partition's full ISR."""

import time
from collections.abc import Callable
from typing import Final

from insync.brokers.cluster.admin import await_state
from insync.brokers.kafka.metadata import State
from insync.errors import InsyncError
from insync.scenario.base import BROKERS

HEALED_SECONDS: Final = 60.0
EVERYONE: Final = list(range(1, BROKERS + 1))


def await_full_isr(bootstrap: str, topic: str, check: Callable[[], None]) -> None:
    """Wait until every broker, asked by itself, shows every partition wholly in sync.

    `check` is called while it waits and may raise. Raises InsyncError with the last state seen.
    """
    last = await_state(bootstrap, topic, _healed, time.monotonic() + HEALED_SECONDS, check)
    if last is not None:
        raise InsyncError(f"topic {topic}: not healed: {last}")


def _healed(state: State) -> bool:
    return bool(state) and all(isr == EVERYONE for _, isr in state.values())
