"""The end of a repeat's faults: every partition has its full ISR again."""

import time
from collections.abc import Callable
from typing import Final

from confluent_kafka import KafkaException

from insync.cluster.admin import client, partitions
from insync.errors import InsyncError
from insync.scenario.model import BROKERS

HEALED_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.05


def await_full_isr(bootstrap: str, topic: str, check: Callable[[], None]) -> None:
    """Wait until every broker, asked by itself, shows every partition led and wholly in sync.

    `check` is called while it waits and may raise. Raises InsyncError with the last state seen.
    """
    give_up = time.monotonic() + HEALED_SECONDS
    everyone = list(range(1, BROKERS + 1))
    for server in bootstrap.split(","):
        admin, last = client(server), "no answer"
        while True:
            try:
                state = partitions(admin, topic)
            except KafkaException as error:
                last = str(error)
            else:
                if state and all(who == (who[0], everyone) for who in state.values()):
                    break
                last = f"partition: (leader, ISR) are {state}"
            check()
            if time.monotonic() > give_up:
                raise InsyncError(f"topic {topic}: not healed: at {server} {last}")
            time.sleep(POLL_SECONDS)
