"""The campaign of `insync fuzz`: the scenarios of seeds, then reductions of those that fail."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import tomli_w

from insync.artifacts import sha256_of
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.versions import numbers
from insync.engine.campaign import Done
from insync.engine.scenarios import CellResult, ScenarioCampaign
from insync.errors import InputError
from insync.events.writer import write_atomic
from insync.faults.registry import KINDS, why_not
from insync.fuzz.draw import GENERATOR, Choices, draw, name_of
from insync.fuzz.judge import CLASSES, ArmResult, Class, fault_words, judge, workload_words
from insync.fuzz.reduce import Reduced, Replays, reduce_seed
from insync.fuzz.request import DEFAULT_ARMS, FuzzRequest, seeds_of
from insync.outcome import Outcome
from insync.result import Result, Table
from insync.run.cell import CellSpec
from insync.run.plan import require_agent, resolve_cells
from insync.run.request import RunRequest
from insync.run.version_support import require_arms
from insync.scenario.load import keys_of
from insync.scenario.model import Scenario

REDUCED: Final = "reduced"
SECONDS_A_RUN: Final = 15.0
"""About how long one scenario takes on one arm."""
OVERHEAD_SECONDS: Final = 60.0
"""About how long a cluster's start and end and the analysis take."""


OfArms = Mapping[str, tuple[CellResult, ArmResult]]
Judged = Mapping[int, OfArms]
"""By seeds and arms, what was found."""


class Fuzz(ScenarioCampaign):
    name = "fuzz"
    says = "random faults, which Kafka must survive"
    part = "seed"
    notes = (
        "A finding is an integrity violation, an error of an agent, or a cluster that does not"
        " come back. Nothing else is expected of a seed: an ISR may shrink.",
        "A seed is unknown if a fault has no evidence that it acted.",
        "To repeat one seed, give the command at the end with --seeds and its number.",
    )
    batch = 10

    def __init__(self, request: FuzzRequest) -> None:
        """Check the whole request; raises InputError. Writes nothing."""
        self._request = request
        self._seeds = seeds_of(request.seeds)
        self._arms = list(request.arms or DEFAULT_ARMS[request.shape])
        if len(set(self._arms)) != len(self._arms):
            raise InputError(f"--arms {','.join(self._arms)}: expected each only once")
        self._release = find(request.kafka)
        require_arms(self._arms, request.kafka)
        self.at_once = request.at_once
        place = request.out or Path()
        self._kinds = [kind for kind in KINDS if why_not(kind, "local", place) is None]
        choices = Choices(
            arms=self._arms, kinds=self._kinds, version=numbers(self._release.version),
            shape=request.shape, settings=request.settings,
        )  # fmt: skip
        self._drawn = cache(lambda seed: draw(seed, choices))
        self._cells_of = cache(lambda seed: self._cells(self._drawn(seed)))
        self._files: dict[str, Scenario] = {}
        self._drawn(self._seeds[0])  # finds a setting that no scenario may have

    def asked(self) -> Mapping[str, Any]:
        """Return what decides which scenario a seed is, and what runs it; not which seeds."""
        agent = require_agent(self._arms)
        return {
            "arms": self._arms,
            "Kafka": self._release.name,
            "shape": self._request.shape,
            "kinds of faults": self._kinds,
            "broker configs": dict(self._request.settings),
            "build of the agent (SHA-256)": agent and sha256_of(agent),
            "generator of seeds": GENERATOR,
        }

    def cells(self, done: Done) -> Iterator[CellSpec]:
        """Yield the cells of the seeds, then the next replays of those that fail."""
        for seed in self._seeds:
            yield from self._cells_of(seed)
        for replays in self._failing(self._judged(done), done):
            reduce_seed(replays)
            for scenario in replays.next_round:
                yield from self._cells(scenario)

    def group(self, cell: CellSpec) -> str:
        """Return the name of the seed: its replays run in one batch, and in its shard."""
        return re.sub(r"^(\D+\d+).*", r"\1", cell.scenario.name)

    def seconds(self, cells: Sequence[CellSpec]) -> float:
        """Return about how long a batch takes: arms run side by side, their cells in turn."""
        of_arm = Counter(cell.arm for cell in cells)
        in_turn = max(max(of_arm.values()), math.ceil(len(cells) / self.at_once))
        return OVERHEAD_SECONDS + SECONDS_A_RUN * in_turn

    def judge(self, done: Done) -> Result:
        """Return the seeds that are done, of earlier ranges too, and what was reduced."""
        judged = self._judged(done)
        found = ((each, reduce_seed(each)) for each in self._failing(judged, done))
        reduced = [(each, known) for each, known in found if known is not None]
        self._files = {
            file_of(each): known.scenario for each, known in reduced if known.scenario is not None
        }
        return Result(
            of=f"Seeds of the shape {self._request.shape} on Kafka {self._release.name}",
            children=tuple(self._seed(seed, arms, reduced) for seed, arms in judged.items()),
            tables=(self._table(judged),),
            facts={"seeds run": str(len(judged))},
        )

    def write(self, folder: Path, result: Result) -> None:
        """Write the scenarios that are left of failing seeds, the result and its page."""
        for name, scenario in self._files.items():
            file = folder / name
            file.parent.mkdir(exist_ok=True)
            write_atomic(file, tomli_w.dumps(keys_of(scenario)))
        super().write(folder, result)

    def _cells(self, scenario: Scenario) -> list[CellSpec]:
        request = RunRequest(
            scenario=scenario, kafka=self._request.kafka,
            unknown_methods=self._request.unknown_methods,
        )  # fmt: skip
        return resolve_cells(request, Path(self._release.name) / scenario.name)

    def _judged(self, done: Done) -> Judged:
        """Return the seeds that were run on all arms, and what each arm came to."""
        stem = f"{self._release.name}/{name_of(0, self._request.shape).removesuffix('0')}"
        numbers = {name.rpartition("/")[0].removeprefix(stem) for name in done}
        found = {}
        for seed in sorted(int(number) for number in numbers if number.isdecimal()):
            scenario = self._drawn(seed)
            names = [f"{self._release.name}/{scenario.name}/{arm}" for arm in self._arms]
            if all(name in done for name in names):
                cells = [CellResult.model_validate(done[name]) for name in names]
                own = [(each, judge(each, scenario.workload.acks)) for each in cells]
                found[seed] = dict(zip(self._arms, own, strict=True))
        return found

    def _failing(self, judged: Judged, done: Done) -> Iterator[Replays]:
        """Yield the replays of each failing seed and class of finding, on the first arm with it."""
        for seed, arms in judged.items():
            scenario = self._drawn(seed)
            first: dict[Class, str] = {}
            for arm, (_, result) in arms.items():
                for of in result.findings:
                    first.setdefault(of, arm)
            start = f"{self._release.name}/{scenario.name}-"
            replayed = (
                CellResult.model_validate(done[name]) for name in done if name.startswith(start)
            )
            found = {
                each.cell.scenario: judge(each, scenario.workload.acks).findings
                for each in replayed
            }
            yield from (Replays(scenario, arm, of, found) for of, arm in first.items())

    def _seed(self, seed: int, arms: OfArms, reduced: Sequence[tuple[Replays, Reduced]]) -> Result:
        scenario = self._drawn(seed)
        in_order = sorted(scenario.faults, key=lambda fault: fault.at_ms)
        found = (
            Result(
                of=arm, expected="no finding", found=own.words, outcome=own.outcome,
                links=cell.links,
            )
            for arm, (cell, own) in arms.items()
        )  # fmt: skip
        smaller = (
            Result(
                of=f"{each.arm}, {each.of}, reduced", outcome=Outcome.OBSERVED,
                found=known.words(len(scenario.faults)),
                links={} if known.scenario is None else {"scenario": file_of(each)},
            )
            for each, known in reduced if each.scenario == scenario
        )  # fmt: skip
        return Result(
            of=f"seed {seed}",
            expected=f"{workload_words(scenario)}; {'; '.join(map(fault_words, in_order))}",
            children=(*found, *smaller),
        )

    def _table(self, judged: Judged) -> Table:
        """Return the outcomes per arm, and what was lost of what only leaders had acked."""
        rows = []
        for arm in self._arms:
            own = [arms[arm][1] for arms in judged.values()]
            outcomes = (Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN)
            counts = [sum(each.outcome == one for each in own) for one in outcomes]
            counts += [sum(of in each.findings for each in own) for of in CLASSES]
            counts += [sum(each.acked for each in own), sum(each.lost_acks_1 for each in own)]
            rows.append((arm, *map(str, counts)))
        return Table(
            title="Arms",
            columns=(
                "arm", "passed", "with findings", "unknown", "integrity", "agent errors",
                "liveness", "records acked", "lost with acks=1",
            ),
            rows=rows,
            empty="No arm was run.",
            numeric=range(1, 9),
        )  # fmt: skip


def file_of(replays: Replays) -> str:
    """Return the path of a reduced scenario."""
    return f"{REDUCED}/{replays.name}.toml"
