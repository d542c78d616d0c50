"""Who coordinates the transactions of a repeat: Kafka's own topic, its leaders, ids that meet them.

The broker that leads partition P of `__transaction_state` coordinates the transactional ids
whose hash is P. The topic has a partition per broker here, and each broker is put at the head
of its own before a repeat, for an earlier one may have moved the leaders.
"""

import time
from collections.abc import Sequence
from itertools import count
from typing import Final

from insync.brokers.cluster.admin import await_state, create_topic, partitions
from insync.brokers.cluster.properties import COORDINATORS
from insync.errors import InsyncError
from insync.faults.support import election
from insync.run.stage import Stage
from insync.scenario.roles import ring

TOPIC: Final = "__transaction_state"
CONFIG: Final = {
    # As the coordinator itself would make it.
    "cleanup.policy": "compact",
    "compression.type": "uncompressed",
    "min.insync.replicas": "2",
    "unclean.leader.election.enable": "false",
}
PLACED_SECONDS: Final = 20.0


def place_coordinators(stage: Stage) -> None:
    """Let each broker lead its partition of the topic; raises InsyncError if one does not."""
    wanted = {number: ring(number + 1) for number in range(COORDINATORS)}
    if not _exists(stage.cluster.bootstrap):
        create_topic(stage.cluster.bootstrap, TOPIC, list(wanted.values()), CONFIG)
        return
    if not _led_as(stage.cluster.bootstrap, wanted, 0.0):
        return
    ports = [stage.cluster.nodes[broker].port for broker in stage.asked_to_elect()]
    for number, replicas in wanted.items():
        election.reorder(ports, TOPIC, number, replicas)
    election.elect_preferred(ports, TOPIC, list(wanted))
    last = _led_as(stage.cluster.bootstrap, wanted, PLACED_SECONDS)
    if last is not None:
        raise InsyncError(f"topic {TOPIC}: {last}, expected each broker to lead one partition")


def transactional_ids(topic: str, coordinators: Sequence[int]) -> list[str]:
    """Return an id for each producer, whose coordinator is the broker that stands there."""
    return [_id(f"{topic}-{number}", broker) for number, broker in enumerate(coordinators)]


def partition_of(transactional_id: str) -> int:
    """Return the topic's partition that an id belongs to: by Java's hash of its ASCII text."""
    code = 0
    for letter in transactional_id:
        code = (31 * code + ord(letter)) & 0xFFFFFFFF
    return abs(code - (code >> 31 << 32)) % COORDINATORS


def _id(prefix: str, broker: int) -> str:
    names = (f"{prefix}-{salt}" for salt in count())
    return next(name for name in names if partition_of(name) == broker - 1)


def _exists(bootstrap: str) -> bool:
    server = bootstrap.split(",")[0]  # all of them know it, or none: create_topic has seen to it
    try:
        return bool(partitions(server, TOPIC))
    except OSError as error:
        raise InsyncError(f"topic {TOPIC}: no answer from {server}: {error}") from error


def _led_as(bootstrap: str, wanted: dict[int, list[int]], seconds: float) -> str | None:
    """Wait until each partition is led by its first replica; return what is seen if not."""
    return await_state(
        bootstrap,
        TOPIC,
        lambda state: (
            {number: leader for number, (leader, _) in state.items()}
            == {number: replicas[0] for number, replicas in wanted.items()}
        ),
        time.monotonic() + seconds,
    )
