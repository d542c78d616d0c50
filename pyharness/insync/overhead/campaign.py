"""The campaign of `insync overhead`: arms are measured in turn, round by round."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from insync.artifacts import sha256_of
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.java import find_java
from insync.brokers.kafka.resolve import distribution
from insync.engine.campaign import Campaign, Done, Place
from insync.errors import InputError
from insync.lists import grouped
from insync.outcome import Outcome
from insync.overhead.figures import Round, Values, differences, table
from insync.overhead.measure import LoadTool, Subject, measure
from insync.overhead.request import OverheadRequest
from insync.progress import Progress
from insync.result import Result
from insync.run.plan import require_agent
from insync.run.version_support import require_arms

BASELINE: Final = "stock"
MOST_IDLE: Final = 50_000
MOST: Final = 10**9


@dataclass(frozen=True, slots=True)
class Measurement:
    side: Subject
    number: int

    @property
    def name(self) -> str:
        """Its name, and that of its folder."""
        return f"round-{self.number}/{self.side.name}"


class Overhead(Campaign[Measurement]):
    """Sides, the first of which is the baseline, in so many rounds.

    Their brokers have so many `idle` partitions beside those that are written.
    """

    name = "overhead"
    says = "what arms cost on brokers, beside stock Kafka"
    part = "arm"
    notes = (
        "What is compared is measured in turn, each on a cluster of its own. Figures per fetch do"
        " not depend on how busy the machine is; times do.",
        "Of a figure without a limit nothing is expected; intervals of 95 % need six rounds.",
    )
    batch = 1

    def __init__(self, sides: Sequence[Subject], rounds: int, records: int, idle: int = 0) -> None:
        self._sides, self._rounds, self._records, self._idle = sides, rounds, records, idle
        self._base = sides[0].name

    def asked(self) -> Mapping[str, Any]:
        """Return what is measured; more rounds may follow later."""
        agent = require_agent([side.arm for side in self._sides])
        return {
            "Kafka": find(self._sides[0].kafka).name,
            "arms": [side.name for side in self._sides],
            "agent's jar, SHA-256": agent and sha256_of(agent),
            "records": self._records,
            "idle partitions": self._idle,
        }

    def cells(self, done: Done) -> Iterator[Measurement]:
        """Yield the measurements; each round starts with another side.

        So what changes over time, such as a machine's temperature, changes no side more than
        another.
        """
        for number in range(self._rounds):
            first = number % len(self._sides)
            for side in [*self._sides[first:], *self._sides[:first]]:
                yield Measurement(side, number + 1)

    def ready(self, progress: Progress) -> None:
        java = find_java()
        for side in self._sides:
            dist = distribution(side.kafka, java, progress.phase)
        self._tool = LoadTool.fetched(dist, progress.phase)

    def run(self, cells: Sequence[Measurement], place: Place) -> Iterator[tuple[str, Values]]:
        for cell in cells:
            yield cell.name, self._measure(cell, place)

    def _measure(self, cell: Measurement, place: Place) -> Values:
        def tell(text: str) -> None:
            round_ = f"round {cell.number} of {self._rounds}"
            place.progress.phase(f"{round_}, {cell.side.name}: {text}")

        folder = place.folder / cell.name
        shutil.rmtree(folder, ignore_errors=True)  # of a measurement that was interrupted
        return measure(cell.side, self._idle, self._records, self._tool, folder, tell)

    def rounds(self, done: Done) -> list[Round]:
        measured = (cell for cell in self.cells(done) if cell.name in done)
        return [
            {cell.side.name: done[cell.name] for cell in cells}
            for cells in grouped(measured, lambda cell: cell.number).values()
        ]

    def judge(self, done: Done) -> Result:
        """Return the differences of each arm from the baseline; a complete measurement passes."""
        rounds = self.rounds(done)
        found = differences(rounds, self._base)
        complete = Result(
            of="rounds", expected="each arm is measured", outcome=Outcome.PASS,
            found=f"{len(rounds)}",
        )  # fmt: skip
        return Result(
            of=f"arms on Kafka {find(self._sides[0].kafka).name}",
            children=tuple(
                Result(of=arm, children=(complete, *(each.check() for each in own)))
                for arm, own in grouped(found, lambda each: each.arm).items()
            ),
            tables=(table(rounds, self._base),),
            facts={"Java": find_java().description},
        )


def overhead_of(request: OverheadRequest) -> Overhead:
    names, kafka = request.arms or (), request.kafka
    if BASELINE not in names or len(set(names)) != len(names) or len(names) < 2:
        raise InputError(f"--arms {','.join(names)}: expected {BASELINE} and others, each once")
    for option, value, known in (
        ("rounds", request.rounds, range(1, MOST)),
        ("records", request.records, range(MOST)),
        ("idle", request.idle, range(MOST_IDLE + 1)),
    ):
        if value not in known:
            raise InputError(f"--{option} {value}: expected {known[0]} to {known[-1]}")
    require_arms(names, kafka)
    require_agent(names)
    in_order = sorted(names, key=lambda arm: arm != BASELINE)
    sides = [Subject(name=arm, kafka=kafka, arm=arm) for arm in in_order]
    return Overhead(sides, request.rounds, request.records, request.idle)
