"""Run a campaign: many cells whose results are judged together.

A campaign says which cells there are and what they come to. Everything else is here: the output
folder, batches, resumption, shards, the end of the time, and the files.
"""

import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Generic, Protocol, TypeVar

from insync.engines import AnalysisOptions
from insync.errors import InputError, InsyncError
from insync.events.schema import CAMPAIGN
from insync.events.writer import naming, write_atomic
from insync.outcome import Outcome
from insync.progress import Progress
from insync.report.result_page import Words, write_result
from insync.result import Result
from insync.run.request import check_out, default_out, make_out

DONE: Final = "cells.jsonl"
"""A line per cell that is done, with its name and its result."""
MOST_AT_ONCE: Final = 64
"""Each arm has four JVMs; no host on which the harness is tested runs more of them."""

Done = Mapping[str, Any]
"""The results of cells, as JSON values, by the cells' names."""


class Named(Protocol):
    """A cell; its name is unique in its campaign."""

    @property
    def name(self) -> str:
        """The name."""


C = TypeVar("C", bound=Named)


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where and how cells run; `command` is that of the campaign."""

    folder: Path
    analysis: AnalysisOptions
    progress: Progress
    command: str = ""


class Campaign(Words, ABC, Generic[C]):
    """A campaign; its name is that of its command, and a new folder has it.

    Attributes:
        at_once: how many arms run at the same time.
        batch: how many groups of cells run together; None: all that there are.

    """

    at_once: int = 2
    batch: ClassVar[int | None] = None

    @abstractmethod
    def asked(self) -> Mapping[str, Any]:
        """Return, as JSON values, in what a campaign that is resumed must be the same.

        They are facts of its result, too.
        """

    @abstractmethod
    def cells(self, done: Done) -> Iterable[C]:
        """Yield all cells, also those that are done, always in the same order.

        More may follow when some are done.
        """

    def ready(self, progress: Progress) -> None:
        """Check what the machine must have, before the first file is made; raises InputError."""

    def group(self, cell: C) -> str:
        """Return the name of the cells that run in one batch and one shard."""
        return cell.name

    def seconds(self, cells: Sequence[C]) -> float:  # an estimate is optional
        """Return about how long a batch takes, if the campaign may have an end of its time."""
        return 0.0

    def is_final(self, result: Any) -> bool:
        """Whether a cell with such a result is not run again in a campaign that is resumed."""
        return True

    @abstractmethod
    def run(self, cells: Sequence[C], place: Place) -> Iterable[tuple[str, Any]]:
        """Run cells; yield the name and the result of each, as soon as it is known."""

    @abstractmethod
    def judge(self, done: Done) -> Result:
        """Return what the cells come to that are done."""

    def write(self, folder: Path, result: Result) -> None:
        write_result(folder, result, self)


class CampaignOfResults(Campaign[C]):
    """A campaign of which each cell comes to a tree of checks."""

    batch = 1

    @abstractmethod
    def check(self, cell: C, place: Place) -> Result:
        """Run a cell."""

    def run(self, cells: Sequence[C], place: Place) -> Iterator[tuple[str, Any]]:
        for cell in cells:
            began = time.monotonic()
            found = self.check(cell, place)
            took = {"seconds": round(time.monotonic() - began, 1)}
            yield cell.name, found.model_copy(update=took).model_dump(mode="json")

    def is_final(self, result: Any) -> bool:
        """Whether the cell was judged, or only observed."""
        return Outcome(result["outcome"]) != Outcome.UNKNOWN

    def results(self, done: Done) -> list[Result]:
        """Return the results of the cells that are done, in the order of the cells."""
        return [
            Result.model_validate(done[cell.name]) for cell in self.cells(done) if cell.name in done
        ]


class CampaignOfOne(CampaignOfResults[Named]):
    """A campaign that is its only cell; `of` is what its result is about."""

    of: str

    def cells(self, done: Done) -> Sequence[Named]:
        return (self,)

    def judge(self, done: Done) -> Result:
        return next(iter(self.results(done)), Result(of=self.of))


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """How a campaign is run; None means the default. `command` is what its result says of it."""

    out: Annotated[
        Path | None, "New or empty output folder. Default: ./insync-runs/<command>-<time>."
    ] = None
    resume: Annotated[bool, "Continue what is in --out: run what it lacks."] = False
    shard: Annotated[str | None, "I/N: run every N-th one from the I-th on."] = None
    minutes: Annotated[float | None, "Begin nothing that would end later. Default: run all."] = None
    analysis: AnalysisOptions = field(default_factory=AnalysisOptions)
    command: str = ""


def campaign_folder(campaign: Campaign[C], options: Options) -> Path:
    """Check the options, and return the folder, which may not exist yet; raises InputError."""
    number, _ = _shard(options.shard)
    groups: set[str] = set()
    for cell in campaign.cells({}):
        groups.add(campaign.group(cell))
        if len(groups) == number:
            break
    else:
        raise InputError(f"--shard {options.shard or '1/1'}: has none of {len(groups)}")
    # Written so that NaN is refused, too.
    if options.minutes is not None and not options.minutes > 0:
        raise InputError(f"--minutes {options.minutes:g}: expected more than 0")
    if not 1 <= campaign.at_once <= MOST_AT_ONCE:
        expected = "at least 1" if campaign.at_once < 1 else f"at most {MOST_AT_ONCE}"
        raise InputError(f"--side-by-side {campaign.at_once}: expected {expected}")
    if not options.resume:
        return check_out(options.out or default_out(campaign.name))
    if options.out is None:
        raise InputError(f"--resume: expected --out DIR, the folder of the {campaign.name}")
    _require_same(campaign, options, options.out)
    return options.out.absolute()


def run_campaign(
    campaign: Campaign[C], options: Options, progress: Progress, folder: Path
) -> Result:
    """Run the cells that are not done yet, as long as there is time; return the result.

    `folder` is what `campaign_folder` returned. The result is written after each batch. In every
    case no process is left running, and what is done is kept.
    """
    campaign.ready(progress)
    make_out(folder)
    if not options.resume:
        asked = {**campaign.asked(), "shard": options.shard}
        known = {"schema": 1, "campaign": campaign.name, "asked": asked}
        write_atomic(folder / CAMPAIGN, json.dumps(known, indent=2) + "\n")
    place = Place(
        folder=folder, analysis=options.analysis, progress=progress, command=options.command
    )
    end = math.inf if options.minutes is None else time.monotonic() + 60 * options.minutes
    done = {name: each for name, each in read_done(folder).items() if campaign.is_final(each)}
    result = _judge(campaign, done, options)
    campaign.write(folder, result)
    while cells := _next(campaign, done, options, end):
        for name, result in campaign.run(cells, place):
            done[name] = result
            with naming(folder / DONE), (folder / DONE).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"cell": name, "result": result}) + "\n")
        if missing := [cell.name for cell in cells if cell.name not in done]:
            raise InsyncError(f"{campaign.name}: no result of {', '.join(missing)}, expected one")
        result = _judge(campaign, done, options)
        campaign.write(folder, result)
    return result


def run_within(campaign: Campaign[C], place: Place, name: str) -> Result:
    """Run a campaign as a part of another one, or continue it; its folder has the given name."""
    folder = place.folder / name
    options = Options(resume=is_campaign(folder), analysis=place.analysis)
    return run_campaign(campaign, options, place.progress, folder).below(name)


def is_campaign(folder: Path) -> bool:
    return (folder / CAMPAIGN).is_file()


def read_done(folder: Path) -> dict[str, Any]:
    """Return the results of the cells that are done; a last line that was cut is removed."""
    file = folder / DONE
    if not file.is_file():
        return {}
    whole, newline, cut = file.read_text(encoding="utf-8").rpartition("\n")
    if cut:  # by a kill; the next line would follow it without a break
        write_atomic(file, whole + newline)
    return {line["cell"]: line["result"] for line in map(json.loads, whole.splitlines())}


def _next(campaign: Campaign[C], done: Done, options: Options, end: float) -> list[C]:
    """Return the cells of the next batch: those of as many groups as there is time for.

    At first there is time for one, however short it is.
    """
    chosen: list[C] = []
    for count, cells in enumerate(_left(campaign, done, options)):
        left = end - time.monotonic()
        first = left > 0 and not done and not chosen
        if count == campaign.batch or not (first or campaign.seconds([*chosen, *cells]) <= left):
            break
        chosen += cells
    return chosen


def _left(campaign: Campaign[C], done: Done, options: Options) -> Iterator[list[C]]:
    """Yield the cells of the shard that are not done, by their groups."""
    number, of = _shard(options.shard)
    places: dict[str, int] = {}
    for group, cells in groupby(campaign.cells(done), campaign.group):
        place = places.setdefault(group, len(places))
        left = [cell for cell in cells if cell.name not in done]
        if left and place % of == number - 1:
            yield left


def _judge(campaign: Campaign[C], done: Done, options: Options) -> Result:
    """Return what the cells come to, and what was asked; it is unknown while some were not run."""
    found = campaign.judge(done)
    asked = {name: _written(value) for name, value in campaign.asked().items()}
    told = {"command": options.command, "facts": {**asked, **found.facts}}
    found = found.model_copy(update=told)
    left = sum(1 for _ in _left(campaign, done, options))
    if not left:
        return found
    not_run = Result(of="not run yet", found=f"{left} {'are' if left > 1 else 'is'} left")
    return Result(**{**dict(found), "children": (*found.children, not_run)})


def _shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise InputError(f"--shard {text!r}: expected I/N with I from 1 to N, such as 1/3")
    return int(number), int(of)


def _require_same(campaign: Campaign[C], options: Options, out: Path) -> None:
    """Check that a campaign resumes one like itself; raises InputError."""
    try:
        before = json.loads((out / CAMPAIGN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(
            f"--out {out}: no {CAMPAIGN} in it, expected the folder of a {campaign.name} to resume"
        ) from None
    if before["campaign"] != campaign.name:
        raise InputError(f"--out {out}: a {before['campaign']}, expected a {campaign.name}")
    now = json.loads(json.dumps({**campaign.asked(), "shard": options.shard}))
    for key in now | before["asked"]:
        if (then := before["asked"].get(key)) != now.get(key):
            raise InputError(
                f"--resume {out}: its {key}: {_written(then)}, now {_written(now.get(key))};"
                " expected the same, or a new folder"
            )


def _written(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={each}" for key, each in value.items()) or "none"
    return "none" if value is None else str(value)
