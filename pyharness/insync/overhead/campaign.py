"""The campaign of `insync overhead`: arms are measured in turn, round by round."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from insync.arms import has_agent
from insync.artifacts import sha256_of
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.java import find_java
from insync.brokers.kafka.resolve import distribution
from insync.engine.campaign import Campaign, Done, Place
from insync.errors import InputError
from insync.outcome import Outcome
from insync.overhead.figures import Round, Values, differences, growth, table
from insync.overhead.load_tool import LoadTool
from insync.overhead.measure import Subject, measure
from insync.overhead.request import OverheadRequest
from insync.progress import Progress
from insync.report.result_page import Words
from insync.result import Result
from insync.run.plan import built_agent, require_agent
from insync.run.version_support import require_arms

BASELINE: Final = "stock"
MOST_IDLE: Final = 50_000


@dataclass(frozen=True, slots=True)
class Measurement:
    """A side in a round, on brokers with so many idle partitions."""

    side: Subject
    idle: int
    number: int

    @property
    def name(self) -> str:
        """Its name, and that of its folder."""
        return f"partitions-{self.idle}/round-{self.number}/{self.side.name}"


class Overhead(Campaign[Measurement]):
    """Sides, the first of which is the baseline, in so many rounds.

    With several numbers of `idle` partitions all rounds are repeated with each of them.
    """

    name = "overhead"
    words = Words(
        command=name,
        says="what arms cost on brokers, beside stock Kafka",
        part="arm",
        notes=(
            "Arms are measured in turn, each on a cluster of its own. Figures per fetch do not"
            " depend on how busy the machine is; times do.",
            "Nothing is expected of a figure; the intervals of 95 % need six rounds.",
        ),
    )
    batch = 1

    def __init__(
        self, sides: Sequence[Subject], rounds: int, records: int, idle: Sequence[int] = (0,)
    ) -> None:
        self._sides, self._rounds, self._records, self._idle = sides, rounds, records, idle
        self._base = sides[0].name

    def asked(self) -> Mapping[str, Any]:
        """Return what is measured; more rounds may follow later."""
        return {
            "records": self._records,
            **{
                side.name: {
                    "Kafka": find(side.kafka).name,
                    "arm": side.arm,
                    "settings": dict(side.settings),
                    "agent's jar, SHA-256": sha256_of(built_agent()) if has_agent(side.arm) else "",
                }
                for side in self._sides
            },
        }

    def cells(self, done: Done) -> Iterator[Measurement]:
        """Yield the measurements; each round starts with another side.

        So what changes over time, such as a machine's temperature, changes no side more than
        another.
        """
        for idle in self._idle:
            for number in range(self._rounds):
                first = number % len(self._sides)
                for side in [*self._sides[first:], *self._sides[:first]]:
                    yield Measurement(side, idle, number + 1)

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
        return measure(cell.side, cell.idle, self._records, self._tool, folder, tell)

    def rounds(self, done: Done) -> dict[int, list[Round]]:
        """Return what was measured, by the number of idle partitions."""
        found: dict[int, dict[int, dict[str, Values]]] = {idle: {} for idle in self._idle}
        for cell in self.cells(done):
            if cell.name in done:
                found[cell.idle].setdefault(cell.number, {})[cell.side.name] = done[cell.name]
        return {idle: list(rounds.values()) for idle, rounds in found.items()}

    def judge(self, done: Done) -> Result:
        """Return the differences of each arm from the baseline; a complete measurement passes."""
        measured = self.rounds(done)
        children, tables = [], []
        for idle, rounds in measured.items():
            found = differences(rounds, self._base)
            of = f", {idle:,} idle partitions" if idle else ""
            for arm in dict.fromkeys(each.arm for each in found):
                own = [each.check() for each in found if each.arm == arm]
                complete = Result(
                    of="rounds", expected="each arm is measured", outcome=Outcome.PASS,
                    found=f"{len(rounds)}",
                )  # fmt: skip
                children.append(Result(of=arm + of, children=(complete, *own)))
            tables.append(table(f"Rounds: {len(rounds)}{of}", found, self._base))
        if len(measured) > 1 and all(cell.name in done for cell in self.cells(done)):
            tables.append(growth(measured))
        return Result(
            of=f"arms on Kafka {find(self._sides[0].kafka).name}",
            children=tuple(children),
            tables=tuple(tables),
            facts={"records": f"{self._records:,}", "Java": find_java().description},
        )


def overhead_of(request: OverheadRequest) -> Overhead:
    names, kafka = request.arms or (), request.kafka
    if BASELINE not in names or len(set(names)) != len(names) or len(names) < 2:
        raise InputError(f"--arms {','.join(names)}: expected {BASELINE} and others, each once")
    for option, value, least in (("rounds", request.rounds, 1), ("records", request.records, 0)):
        if value < least:
            raise InputError(f"--{option} {value}: expected at least {least}")
    find(kafka)
    require_arms(names, kafka)
    require_agent(names)
    in_order = sorted(names, key=lambda arm: arm != BASELINE)
    sides = [Subject(name=arm, kafka=kafka, arm=arm) for arm in in_order]
    return Overhead(sides, request.rounds, request.records, _numbers(request.idle))


def _numbers(listed: str) -> list[int]:
    counts = [int(each) if each.isdecimal() else -1 for each in listed.split(",")]
    if sorted(set(counts)) != counts or not 0 <= counts[0] <= counts[-1] <= MOST_IDLE:
        raise InputError(
            f"--idle {listed}: expected numbers of 0 to {MOST_IDLE}, each more than the one before"
        )
    return counts
