"""Run the seeds of a fuzz in batches, judge each batch, then reduce the seeds that fail.

After each batch `fuzz.json` and the page are written, so that a fuzz that is interrupted keeps what
it found, and `--resume` continues it.
"""

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from insync.engines import AnalysisOptions
from insync.events.fuzz_info import Class, FuzzInfo, SeedResult, save_fuzz
from insync.events.matrix_info import is_matrix, load_matrix
from insync.fuzz.batch import BatchSettings, analyse_batch, record_batch
from insync.fuzz.draw import draw, name_of
from insync.fuzz.judge import judge_batch, seed_result
from insync.fuzz.plan import FuzzPlan
from insync.fuzz.reduce import OutOfTime
from insync.fuzz.replay import OVERHEAD_SECONDS, SECONDS_A_RUN, Replayer, reduce_seed
from insync.progress import Progress
from insync.report.fuzz_page import write_fuzz_page
from insync.run.plan import make_out
from insync.scenario.model import Scenario

BATCH: Final = 10
BATCHES: Final = "batches"
REDUCED: Final = "reduced"


def run_fuzz(plan: FuzzPlan, analysis: AnalysisOptions, progress: Progress) -> FuzzInfo:
    """Run all seeds that have no result yet, as long as there is time; return what is known.

    In every case no process is left running. Raises InsyncError if it was interrupted.
    """
    make_out(plan.out)
    fuzz = _Fuzz(plan, analysis, progress)
    fuzz.save()
    fuzz.adopt()
    while seeds := fuzz.next_batch():
        fuzz.run(seeds)
    fuzz.reduce()
    return fuzz.info


@dataclass
class _Fuzz:
    """A fuzz that runs; `info` is what is known so far."""

    plan: FuzzPlan
    analysis: AnalysisOptions
    progress: Progress
    started: float = field(default_factory=time.monotonic)
    info: FuzzInfo = field(init=False)

    def __post_init__(self) -> None:
        self.info = self.plan.before.model_copy(update={"planned": len(self.plan.seeds)})

    @property
    def bench(self) -> BatchSettings:
        request = self.plan.request
        return BatchSettings(
            kafka=request.kafka,
            unknown_methods=request.unknown_methods,
            at_once=request.at_once,
            analysis=self.analysis,
            java=self.plan.java,
        )

    @property
    def deadline(self) -> float:
        minutes = self.plan.request.minutes
        return math.inf if minutes is None else self.started + 60 * minutes

    def scenario(self, seed: int) -> Scenario:
        return draw(seed, self.plan.choices)

    def save(self) -> None:
        save_fuzz(self.plan.out, self.info)
        write_fuzz_page(self.plan.out, self.info)

    def adopt(self) -> None:
        """Judge what an interrupted fuzz recorded and did not judge."""
        names = {name_of(seed, self.plan.choices.shape): seed for seed in self.plan.seeds}
        for folder in _folders(self.plan.out):
            if folder.name not in self.info.batches and is_matrix(folder):
                rows = load_matrix(folder).rows
                known = [names[row.scenario] for row in rows if row.scenario in names]
                if known and len(known) == len(rows) and analyse_batch(
                    folder, self.bench, self.progress
                ):  # fmt: skip
                    self._judge(known, folder, only_whole=True)

    def next_batch(self) -> list[int]:
        """Return the seeds of the next batch: as many as there is time for, at most BATCH."""
        done = {each.seed for each in self.info.seeds}
        waiting = [seed for seed in self.plan.seeds if seed not in done]
        left = self.deadline - time.monotonic() - OVERHEAD_SECONDS
        if left == math.inf:
            return waiting[:BATCH]
        rounds = math.ceil(len(self.plan.choices.arms) / self.plan.request.at_once)
        fit = int(left / (rounds * SECONDS_A_RUN))
        first = not done and time.monotonic() < self.deadline  # at least one seed, however short
        return waiting[: min(BATCH, max(fit, 1 if first else 0))]

    def run(self, seeds: Sequence[int]) -> None:
        """Record, analyse and judge a batch."""
        number = 1 + max((int(each.name) for each in _folders(self.plan.out)), default=0)
        folder = self.plan.out / BATCHES / f"{number:04}"
        self.progress.phase(f"batch {number}: seeds {', '.join(map(str, seeds))}")
        scenarios = [self.scenario(seed) for seed in seeds]
        for words in record_batch(scenarios, folder, self.bench, self.progress):
            self.progress.phase(words)
        analyse_batch(folder, self.bench, self.progress)
        self._judge(seeds, folder)

    def _judge(self, seeds: Sequence[int], folder: Path, *, only_whole: bool = False) -> None:
        scenarios = {each.name: each for each in map(self.scenario, seeds)}
        judged = judge_batch(folder, scenarios, self.bench.name)
        done = {each.seed for each in self.info.seeds}
        found = [
            seed_result(seed, scenario, judged[scenario.name], self.plan.out)
            for seed, scenario in zip(seeds, scenarios.values(), strict=True)
            if seed not in done and (judged[scenario.name].whole or not only_whole)
        ]
        for each in found:
            self.progress.phase(f"seed {each.seed}: {each.outcome}")
        seeds_now = sorted((*self.info.seeds, *found), key=lambda each: each.seed)
        batches = (*self.info.batches, folder.name)
        self.info = self.info.model_copy(update={"seeds": tuple(seeds_now), "batches": batches})
        self.save()

    def reduce(self) -> None:
        """Reduce every failing seed once per class of finding, as long as there is time."""
        for result, arm, of in _new_ones_first(_to_reduce(self.info)):
            home = self.plan.out / REDUCED / f"{result.scenario}-{arm}-{of}"
            home = _unused(home)
            replayer = Replayer(arm, of, home, self.bench, self.progress, self.deadline)
            self.progress.phase(f"seed {result.seed}: reducing its {of} finding on {arm}")
            try:
                found = reduce_seed(
                    result.seed, self.scenario(result.seed), replayer, self.plan.out
                )
            except OutOfTime:
                return
            self.info = self.info.model_copy(update={"reduced": (*self.info.reduced, found)})
            self.save()


def _to_reduce(info: FuzzInfo) -> Iterator[tuple[SeedResult, str, Class]]:
    """Yield each failing seed with each of its classes of findings, on the first arm that has it.

    Those that were reduced to the end already are left out.
    """
    done = {(each.seed, each.of) for each in info.reduced if each.complete}
    for result in info.seeds:
        seen: set[Class] = set()
        for arm, own in result.arms.items():
            for of in dict.fromkeys(finding.of for finding in own.findings):
                if of not in seen and (result.seed, of) not in done:
                    seen.add(of)
                    yield result, arm, of


def _new_ones_first(
    found: Iterable[tuple[SeedResult, str, Class]],
) -> list[tuple[SeedResult, str, Class]]:
    """Put the first seed of each arm and class before the second ones, and so on."""
    seen: Counter[tuple[str, Class]] = Counter()
    ranked = []
    for each in found:
        _, arm, of = each
        ranked.append((seen[arm, of], each))
        seen[arm, of] += 1
    return [each for _, each in sorted(ranked, key=lambda pair: pair[0])]


def _folders(out: Path) -> list[Path]:
    """Return the folders of the batches, in order."""
    return sorted(each for each in (out / BATCHES).glob("[0-9]*") if each.is_dir())


def _unused(folder: Path) -> Path:
    """Return the folder, or one beside it with a number, so that no earlier one is changed."""
    number = 1
    found = folder
    while found.exists():
        number += 1
        found = folder.with_name(f"{folder.name}-{number}")
    return found
