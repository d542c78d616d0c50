"""The numbers of nodes and of repeats, and their names for readers."""

from typing import Final

BROKERS: Final = 3
CONTROLLER_ID: Final = 100
ACTIVE_CONTROLLER: Final = 199
"""The number of the controller that leads the others when a fault begins, whichever that is."""
CLIENTS: Final = 0
"""The number of all clients together, where links between nodes are numbered."""


def node_words(number: int) -> str:
    """Return a node's name for readers, such as "broker 1"."""
    if number == ACTIVE_CONTROLLER:
        return "the active controller"
    return "the controller" if number == CONTROLLER_ID else f"broker {number}"


def ring(leader: int) -> list[int]:
    """Return all brokers as replicas, the leader first, then in ring order."""
    return [(leader - 1 + step) % BROKERS + 1 for step in range(BROKERS)]


def spread(partitions: int) -> list[list[int]]:
    """Return the replicas of each partition of a topic of which every broker leads as many."""
    return [ring(1 + partition % BROKERS) for partition in range(partitions)]


def repeat_number(repeat: int) -> int:
    """Return a repeat's number for people: files, tables and events count from 0, texts from 1."""
    return repeat + 1


def repeat_words(repeat: int) -> str:
    """Return a repeat's name for people, such as "repeat 1" for `produce-0.jsonl`."""
    return f"repeat {repeat_number(repeat)}"
