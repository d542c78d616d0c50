"""The bridges of a run's brokers, by the files that the run itself had made."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from insync.errors import InsyncError
from insync.scenario.base import BROKERS
from insync_bridge import BridgeClient, BridgeError


@contextmanager
def asking(folder: Path, broker: int) -> Iterator[BridgeClient]:
    """Connect to one broker for a block; raises InsyncError if it does not answer.

    The run made the file: it is no fault of the user's.
    """
    try:
        with BridgeClient.connect(folder / f"bridge-{broker}.json") as client:
            yield client
    except BridgeError as error:
        raise InsyncError(str(error)) from error


def connect_all(folder: Path) -> dict[int, BridgeClient]:
    """Connect to every broker, by number, to stay; raises InsyncError if one does not answer."""
    try:
        return {
            broker: BridgeClient.connect(folder / f"bridge-{broker}.json")
            for broker in range(1, BROKERS + 1)
        }
    except BridgeError as error:
        raise InsyncError(str(error)) from error
