"""The election: leadership of partitions moves to a chosen broker, whatever its leader does.

Before the workload starts the chosen broker is made the first of the replicas, which moves
nothing; at its time a preferred election does. Both are asked of single brokers, so that
none of it waits for the one that stalls.

Evidence: how many of the partitions the chosen broker itself then names as its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from insync.brokers.kafka import wire
from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window, await_true

ANSWERS_WITHIN_S = 5.0
TIMEOUT_MS = 4_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ElectPlan:
    """Which partitions of a topic are to move, and their replicas with the new leader first."""

    topic: str
    replicas: Mapping[int, Sequence[int]]


class ElectFault:
    """A `Fault`: one broker becomes the leader of some partitions; there is nothing to lift."""

    def __init__(
        self,
        ports: Callable[[], Sequence[int]],
        leaders: Callable[[], Mapping[int, int]],
        plan: ElectPlan,
        occasion: Occasion,
    ) -> None:
        """Plan it.

        Args:
            ports: the brokers' ports in the order in which they may be asked.
            leaders: who leads each partition, as the broker to be elected sees it.
            plan: what is to move.
            occasion: where the fault belongs; its broker is the one to be elected.

        """
        self._ports = ports
        self._leaders = leaders
        self._plan = plan
        self._occasion = occasion
        self._window = Window()
        self._moved = 0

    def prepare(self) -> None:
        """Put the broker first among the replicas; raises InsyncError if that is refused."""
        for partition, replicas in self._plan.replicas.items():
            self._ask(wire.reassign(self._plan.topic, partition, replicas, TIMEOUT_MS))

    def inject(self) -> None:
        """Ask for the election and wait until the broker leads; raises InsyncError if refused."""
        self._window.begin()
        partitions = list(self._plan.replicas)
        self._ask(wire.elect_preferred(self._plan.topic, partitions, TIMEOUT_MS))
        await_true(lambda: self._count() == len(partitions), ANSWERS_WITHIN_S)
        self._moved = self._count()
        self._window.end()

    def lift(self) -> None:
        """Nothing to do: the leaders stay where they are."""

    def evidence(self) -> FaultLine:
        """Return how many partitions moved, and how long it took."""
        figures = {"moved": float(self._moved)}
        return self._window.line(self._occasion, self._window.length_ms, figures)

    def _count(self) -> int:
        leaders = self._leaders()
        return sum(
            leaders.get(partition) == self._occasion.broker for partition in self._plan.replicas
        )

    def _ask(self, request: bytes) -> None:
        ask_any(self._ports(), request, self._plan.topic)


def ask_any(ports: Sequence[int], request: bytes, topic: str) -> None:
    """Ask broker after broker until one does not say that it is not the controller.

    Raises InsyncError with all answers if none did what was asked about the `topic`.
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
    raise InsyncError(f"election of {topic}: {', '.join(answers)}")
