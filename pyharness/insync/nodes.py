"""Define the id of the controller, which all packages use, and name nodes for readers."""

from typing import Final

CONTROLLER_ID: Final = 100


def node_words(number: int) -> str:
    """Return a node's name for readers, such as "broker 1"."""
    return "the controller" if number == CONTROLLER_ID else f"broker {number}"
