"""Read and write the `verdict.json` of a verification: what was asked for, and every level's rows.

It is written after every level, so `--resume` continues from it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from insync.events.run_info import Recorded, read_recorded
from insync.events.schema import SCHEMA_VERSION, VERDICT
from insync.events.writer import write_atomic
from insync.outcome import Outcome, worst
from insync.result import Table

PLAN: Final = "verify-plan.json"
"""What was asked for; its presence tells the folder of a verification from others."""
SUMMARY: Final = "summary.md"


class SideInfo(Recorded):
    """The candidate or the baseline: a build, and what is added to it.

    Args:
        kafka: the version; of an own build with the beginning of a digest of its jars.
        path: where an own build was, or the name of an image.
        jars: the SHA-256 of all its jars.
        agent: the SHA-256 of the agent's jar, None without the agent.
        arm: the arm whose brokers it has.
        claims: the arm as which it is expected to behave, None if nothing is known of it.
        settings: the broker configs that were given.

    """

    kafka: str
    path: str | None = None
    jars: str
    agent: str | None = None
    arm: str
    claims: str | None = None
    settings: Mapping[str, str] = Field(default_factory=dict)

    @property
    def words(self) -> str:
        """Return the side in a few words."""
        agent = f" with the agent, arm {self.arm}" if self.agent else ""
        settings = ", ".join(f"{key}={value}" for key, value in self.settings.items())
        return f"Kafka {self.kafka}{agent}{f', {settings}' if settings else ''}"


class AskedVerify(Recorded):
    """What decides the result of a level; a resumed verification must have the same.

    `kinds` are those of faults from which the seeds are drawn, `criteria` is the SHA-256 of the
    criteria's file, `generator` the version of the rules that draw the seeds.
    """

    candidate: SideInfo
    baseline: SideInfo
    levels: tuple[str, ...] = Field(min_length=1)
    only: tuple[str, ...] | None = None
    seeds: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    repeats: int = 1
    scale: float | None = None
    criteria: str
    unknown_methods: bool = False
    generator: int = 0


class CheckRow(Recorded):
    """One thing that was checked: what was found of both sides, the outcome, and where to look.

    `of` is what the check is about, such as a scenario; `where` is a path in the folder.
    """

    of: str
    check: str
    baseline: str = ""
    candidate: str = ""
    outcome: Outcome
    why: str = ""
    where: str | None = None


class LevelInfo(Recorded):
    """The result of a level. `reason` is one sentence; `links` are pages, by their words."""

    level: str
    outcome: Outcome
    reason: str
    took_s: float = 0.0
    rows: tuple[CheckRow, ...] = ()
    tables: tuple[Table, ...] = ()
    links: Mapping[str, str] = Field(default_factory=dict)

    def count(self, outcome: Outcome) -> int:
        """Return how many rows have an outcome."""
        return sum(row.outcome == outcome for row in self.rows)


class VerifyInfo(Recorded):
    """The whole file."""

    schema_version: Literal[1] = Field(default=SCHEMA_VERSION, alias="schema")
    asked: AskedVerify
    insync: str
    session: str
    started_ms: float
    took_s: float = 0.0
    host: Mapping[str, str] = Field(default_factory=dict)
    levels: tuple[LevelInfo, ...] = ()

    @property
    def missing(self) -> list[str]:
        """The levels that have no result yet."""
        done = {each.level for each in self.levels}
        return [name for name in self.asked.levels if name not in done]

    @property
    def verdict(self) -> Outcome:
        """The worst outcome of the levels that were judged; unknown if one is missing."""
        found = [each.outcome for each in self.levels]
        return worst([*found, Outcome.UNKNOWN] if self.missing else found).verdict

    @property
    def reason(self) -> str:
        """Return what the verdict rests on, in one sentence."""
        word = self.verdict
        if self.missing and word == Outcome.UNKNOWN:
            return f"cut short: no result of {', '.join(self.missing)}"
        if word == Outcome.PASS:
            judged = sum(each.count(Outcome.PASS) for each in self.levels)
            return f"{judged} checks passed in {', '.join(each.level for each in self.levels)}"
        first = next((each for each in self.levels if each.outcome == word), None)
        return "nothing was judged" if first is None else f"{first.level}: {first.reason}"


def is_verification(folder: Path) -> bool:
    """Whether a folder holds a verification."""
    return (folder / PLAN).is_file()


def save_asked(folder: Path, asked: AskedVerify) -> Path:
    """Write what was asked for into `folder` and return its path."""
    return write_atomic(folder / PLAN, asked.model_dump_json(indent=2) + "\n")


def load_asked(folder: Path) -> AskedVerify:
    """Read what was asked for; raises InputError if the folder holds no verification."""
    return read_recorded(AskedVerify, folder, PLAN, "a folder of insync verify")


def save_verify(folder: Path, info: VerifyInfo) -> Path:
    """Write the result into `folder` and return its path."""
    keys = info.model_dump(mode="json", by_alias=True)
    keys = {"schema": keys.pop("schema"), "verdict": info.verdict, "reason": info.reason, **keys}
    return write_atomic(folder / VERDICT, json.dumps(keys, indent=2, ensure_ascii=False) + "\n")


def load_verify(folder: Path) -> VerifyInfo | None:
    """Read the result, None if no level has ended yet; raises InputError if it is damaged."""
    if not (folder / VERDICT).is_file():
        return None
    return read_recorded(VerifyInfo, folder, VERDICT, "a folder of insync verify")
