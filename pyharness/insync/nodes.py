"""The nodes of every cluster, by the numbers that all rooms know them by."""

from typing import Final

CONTROLLER_ID: Final = 100


def node_words(number: int) -> str:
    """Return what a reader calls a node, such as "broker 1"."""
    return "the controller" if number == CONTROLLER_ID else f"broker {number}"
