"""The nodes of every cluster, and the numbers by which every part of the harness knows them."""

from typing import Final

BROKERS: Final = 3
CONTROLLER_ID: Final = 100
CLIENTS: Final = 0
"""The number of all clients together, where links between nodes are numbered."""


def node_words(number: int) -> str:
    """Return a node's name for readers, such as "broker 1"."""
    return "the controller" if number == CONTROLLER_ID else f"broker {number}"


def ring(leader: int) -> list[int]:
    """Return all brokers as replicas, the leader first, then in ring order."""
    return [(leader - 1 + step) % BROKERS + 1 for step in range(BROKERS)]


def spread(partitions: int) -> list[list[int]]:
    """Return the replicas of each partition of a topic of which every broker leads as many."""
    return [ring(1 + partition % BROKERS) for partition in range(partitions)]
