"""A verification: a campaign whose cells are levels; each is judged, whatever becomes of others."""

import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from insync import __version__
from insync.brokers.kafka.java import find_java
from insync.engine.campaign import CampaignOfResults, Done, Place, run_within
from insync.errors import InputError, InsyncError, require_known
from insync.events.writer import write_atomic
from insync.faults.registry import KINDS, why_not
from insync.fuzz.draw import GENERATOR
from insync.fuzz.request import seeds_of
from insync.outcome import Outcome
from insync.result import Result
from insync.verify.criteria import DEFAULT, read
from insync.verify.level import Level, Verification, sides
from insync.verify.levels.cost import CostLevel
from insync.verify.levels.faults import FaultsLevel, cases_of, of_side
from insync.verify.levels.tests import TestsLevel
from insync.verify.levels.weave import WeaveLevel
from insync.verify.request import NO_SEEDS, VerifyRequest

ALL: Final = "all"
MOST_REPEATS: Final = 100
LEVELS: Final[Mapping[str, type[Level]]] = {
    level.name: level for level in (WeaveLevel, TestsLevel, FaultsLevel, CostLevel)
}
"""The levels by name, in the order in which they run."""


class Verify(CampaignOfResults[type[Level]]):
    name = "verify"
    says = "a Kafka build beside a baseline"
    part = "level"
    notes = (
        "A level is a way of looking at the build: what the agent would weave there, or how its"
        " brokers stand faults. Each has an outcome of its own.",
        "A figure of several repeats is that of the worst, and in brackets the median.",
        "A check is unknown, too, if the baseline does not show the problem.",
    )

    def __init__(self, what: Verification, chosen: Sequence[type[Level]]) -> None:
        self.what = what
        self.chosen = chosen

    def asked(self) -> Mapping[str, Any]:
        request = self.what.request
        return {
            **self.what.candidate.facts(),
            **self.what.baseline.facts(),
            "levels": [level.name for level in self.chosen],
            "scenarios": list(request.only or ()),
            "seeds": list(self.what.seeds),
            "kinds of faults": list(self.what.kinds),
            "generator of seeds": GENERATOR if self.what.seeds else 0,
            "repeats": request.repeats,
            "criteria (SHA-256)": hashlib.sha256(self.what.criteria_text.encode()).hexdigest(),
            "permission for unknown methods": request.unknown_methods,
        }

    def cells(self, done: Done) -> Sequence[type[Level]]:
        return self.chosen

    def check(self, cell: type[Level], place: Place) -> Result:
        """Run a level; it is unknown if it cannot run."""
        place.progress.phase(f"level {cell.name}: {cell.says}")
        try:
            return run_within(cell(self.what, place.progress), place, cell.name)
        except (InsyncError, OSError) as error:
            if _interrupted(error):
                raise
            why = f"could not run: {' '.join(str(error).split())}"
            return Result(of=cell.name, outcome=Outcome.UNKNOWN, found=why)

    def judge(self, done: Done) -> Result:
        parts = self.results(done)
        ran = "; no broker ran" if list(self.chosen) == [WeaveLevel] else ""
        return Result(
            of=self.what.candidate.words + ran,
            children=tuple(parts),
            seconds=sum(part.seconds for part in parts),
            facts={
                "candidate from": str(self.what.candidate.release.path or "the released jars"),
                "insync": __version__, "system": platform.platform(),
                "cores": str(os.cpu_count()), "java": self.what.java.description,
            },
        )  # fmt: skip

    def write(self, folder: Path, result: Result) -> None:
        write_atomic(folder / DEFAULT, self.what.criteria_text)
        super().write(folder, result)


def _interrupted(error: BaseException | None) -> bool:
    """Whether an error came up while an interrupt was being handled."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def prepare_verify(request: VerifyRequest) -> Verify:
    """Check the whole request; raises InputError. Writes nothing except the user's cache."""
    if not 1 <= request.repeats <= MOST_REPEATS:
        raise InputError(f"--repeats {request.repeats}: expected 1 to {MOST_REPEATS}")
    wanted = chosen(request.levels or ())
    seeds = () if request.seeds == NO_SEEDS else tuple(seeds_of(request.seeds))
    seeds = seeds if FaultsLevel in wanted else ()
    text, criteria = read(request.criteria)
    candidate, baseline = sides(request)
    what = Verification(
        candidate=candidate, baseline=baseline, request=request, criteria_text=text,
        criteria=tuple(each for each in criteria if each.is_claimed(candidate.claims)),
        java=find_java(), seeds=seeds,
        kinds=tuple(kind for kind in KINDS if seeds and why_not(kind, "local", Path()) is None),
    )  # fmt: skip
    for case in cases_of(what) if FaultsLevel in wanted else ():
        of_side(case, baseline, request.repeats)
        of_side(case, candidate, request.repeats)
    return Verify(what, wanted)


def chosen(names: Sequence[str]) -> list[type[Level]]:
    """Return the levels that are named, in order; `all` names all of them; raises InputError."""
    require_known("--level", names, (ALL, *LEVELS))
    return [level for name, level in LEVELS.items() if ALL in names or name in names]
