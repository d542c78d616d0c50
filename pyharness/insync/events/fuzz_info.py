"""Read and write `fuzz.json`: what a fuzz was asked for, and what was found, seed by seed.

It is written after every batch of seeds, so `--resume` continues from it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from insync.events.run_info import Recorded, read_recorded
from insync.events.schema import SCHEMA_VERSION
from insync.events.writer import write_atomic
from insync.outcome import Outcome, worst

RESULT: Final = "fuzz.json"
PAGE: Final = "fuzz.html"

Class = Literal["integrity", "agent", "liveness"]


class Asked(Recorded):
    """What decides which scenario a seed is and what runs it; a resumed fuzz must have the same.

    `agent` is the SHA-256 of the agent's jar, None if no arm has it. `generator` is the version of
    the rules that draw scenarios.
    """

    arms: tuple[str, ...] = Field(min_length=1)
    kafka: str
    shape: str
    kinds: tuple[str, ...]
    settings: Mapping[str, str] = Field(default_factory=dict)
    agent: str | None = None
    generator: int = 0


class Finding(Recorded):
    """Something that must not happen: its class, the metric if it has one, and the words."""

    of: Class
    metric: str | None = None
    words: str


class ArmResult(Recorded):
    """A seed on one arm. `lost_acks_1` counts lost records that only their leader had acked."""

    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    unknown: str | None = None
    acked: int = 0
    lost_acks_1: int = 0
    report: str | None = None


class SeedResult(Recorded):
    """A seed on all arms."""

    seed: int
    scenario: str
    faults: tuple[str, ...]
    workload: str
    arms: Mapping[str, ArmResult]

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of its arms."""
        return worst(each.outcome for each in self.arms.values())


class Reduced(Recorded):
    """A failing seed after its reduction.

    Args:
        seed: the seed.
        arm: the arm on which it was replayed.
        of: the class of the finding that had to stay.
        file: the reduced scenario, relative to the folder; None if no replay failed.
        faults_before: how many faults the seed has.
        faults: how many are left.
        replays: how often the file's scenario was replayed.
        failed: how many of these had such a finding.
        complete: whether the reduction came to its end, not to the end of the time.

    """

    seed: int
    arm: str
    of: Class
    file: str | None
    faults_before: int
    faults: int
    replays: int
    failed: int
    complete: bool


class FuzzInfo(Recorded):
    """The whole file: `planned` counts the seeds of this shard, `batches` the folders judged."""

    schema_version: Literal[1] = Field(default=SCHEMA_VERSION, alias="schema")
    asked: Asked
    planned: int
    seeds: tuple[SeedResult, ...] = ()
    reduced: tuple[Reduced, ...] = ()
    batches: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of its seeds; unknown if seeds are missing."""
        found = [each.outcome for each in self.seeds]
        return worst(found if len(found) >= self.planned else [*found, Outcome.UNKNOWN])


def is_fuzz(folder: Path) -> bool:
    """Whether a folder holds a fuzz."""
    return (folder / RESULT).is_file()


def save_fuzz(folder: Path, info: FuzzInfo) -> Path:
    """Write the file into `folder` and return its path."""
    keys = info.model_dump(mode="json", by_alias=True)
    keys["verdict"] = info.outcome
    return write_atomic(folder / RESULT, json.dumps(keys, indent=2, ensure_ascii=False) + "\n")


def load_fuzz(folder: Path) -> FuzzInfo:
    """Read the file; raises InputError if the folder does not hold one."""
    return read_recorded(FuzzInfo, folder, RESULT, "a folder of insync fuzz")
