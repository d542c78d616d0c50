"""Changes replicas and leaders by asking broker after broker, so that none waits for a stall."""

from collections.abc import Sequence
from typing import Final

from insync.brokers.kafka import wire
from insync.errors import InsyncError

ANSWERS_WITHIN_S: Final = 5.0
TIMEOUT_MS: Final = 4_000


def reassign(ports: Sequence[int], topic: str, partition: int, replicas: Sequence[int]) -> None:
    """Assign replicas, in this order, to a partition; raises InsyncError if that is refused."""
    request = wire.reassign(topic, partition, replicas, TIMEOUT_MS)
    _ask_any(ports, request, f"reassignment of {topic}")


def elect_preferred(ports: Sequence[int], topic: str, partitions: Sequence[int]) -> None:
    """Elect the first replica of each partition; raises InsyncError if that is refused."""
    _ask_any(ports, wire.elect_preferred(topic, partitions, TIMEOUT_MS), f"election of {topic}")


def _ask_any(ports: Sequence[int], request: bytes, what: str) -> None:
    """Ask broker after broker until one does not answer that it is not the controller.

    Raises InsyncError with all answers if none did `what` was asked.
    """
    answers = []
    for port in ports:
        try:
            code = wire.ask(port, request, ANSWERS_WITHIN_S)
        except OSError as error:
            answers.append(f"{port}: {error}")
            continue
        if code == 0:
            return
        answers.append(f"{port}: error {code}")
        if code != wire.NOT_CONTROLLER:
            break
    raise InsyncError(f"{what}: {', '.join(answers)}")
