"""Choose which brokers coordinate the transactions of a repeat.

The broker that leads partition P of `__transaction_state` coordinates the transactional ids
whose hash is P. Here the topic has one partition per broker. Before each repeat every broker is
made the leader of its partition, because an earlier repeat may have moved the leaders.
"""

import time
from collections.abc import Sequence
from itertools import count
from typing import Final

from insync.brokers.cluster.admin import await_state, create_topic, partitions
from insync.brokers.cluster.properties import COORDINATORS
from insync.errors import InsyncError
from insync.nodes import ring
from insync.run.arm_cluster import ArmCluster

TOPIC: Final = "__transaction_state"
CONFIG: Final = {
    # The settings with which the coordinator itself would create it.
    "cleanup.policy": "compact",
    "compression.type": "uncompressed",
    "min.insync.replicas": "2",
    "unclean.leader.election.enable": "false",
}
PLACED_SECONDS: Final = 20.0


def place_coordinators(arm_cluster: ArmCluster) -> None:
    """Make each broker lead its partition of the topic; raises InsyncError if one does not."""
    wanted = {number: ring(number + 1) for number in range(COORDINATORS)}
    if not _exists(arm_cluster.cluster.bootstrap):
        create_topic(arm_cluster.cluster.bootstrap, TOPIC, list(wanted.values()), CONFIG)
        return
    if not _led_as(arm_cluster.cluster.bootstrap, wanted, 0.0):
        return
    for number, replicas in wanted.items():
        arm_cluster.assign(TOPIC, number, replicas)
    arm_cluster.elect(TOPIC, list(wanted))
    last = _led_as(arm_cluster.cluster.bootstrap, wanted, PLACED_SECONDS)
    if last is not None:
        raise InsyncError(f"topic {TOPIC}: {last}, expected each broker to lead one partition")


def transactional_ids(topic: str, coordinators: Sequence[int]) -> list[str]:
    """Return one transactional id per producer; `coordinators` lists their brokers in order."""
    return [_id(f"{topic}-{number}", broker) for number, broker in enumerate(coordinators)]


def partition_of(transactional_id: str) -> int:
    """Return the topic's partition of an id, computed from Java's hash of its ASCII text."""
    code = 0
    for letter in transactional_id:
        code = (31 * code + ord(letter)) & 0xFFFFFFFF
    return abs(code - (code >> 31 << 32)) % COORDINATORS


def _id(prefix: str, broker: int) -> str:
    names = (f"{prefix}-{salt}" for salt in count())
    return next(name for name in names if partition_of(name) == broker - 1)


def _exists(bootstrap: str) -> bool:
    server = bootstrap.split(",")[0]  # all brokers know it or none: create_topic waits for all
    try:
        return bool(partitions(server, TOPIC))
    except OSError as error:
        raise InsyncError(f"topic {TOPIC}: no answer from {server}: {error}") from error


def _led_as(bootstrap: str, wanted: dict[int, list[int]], seconds: float) -> str | None:
    """Wait until each partition's first replica leads it; return the last state seen if not."""
    return await_state(
        bootstrap,
        TOPIC,
        lambda state: (
            {number: leader for number, (leader, _) in state.items()}
            == {number: replicas[0] for number, replicas in wanted.items()}
        ),
        time.monotonic() + seconds,
    )
