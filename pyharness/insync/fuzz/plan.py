"""Check a fuzz before its first file: seeds, arms, version, kinds of faults, what is resumed."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.arms import has_agent
from insync.artifacts import sha256_of
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.versions import numbers
from insync.errors import InputError
from insync.events.fuzz_info import RESULT, Asked, FuzzInfo, load_fuzz
from insync.faults.registry import KINDS, why_not
from insync.fuzz.draw import GENERATOR, Choices, Shape, draw, for_version
from insync.fuzz.request import DEFAULT_ARMS, FuzzRequest, check_values, seeds_of, settings_of
from insync.run.arm_support import require_arms
from insync.run.plan import built_agent, check_out

_WORDS: Final[Mapping[str, str]] = {
    "arms": "arms",
    "kafka": "Kafka",
    "shape": "shape",
    "kinds": "kinds of faults",
    "settings": "broker configs",
    "agent": "build of the agent (SHA-256)",
    "generator": "generator of seeds",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class FuzzPlan:
    """A fuzz that can begin; `before` is what an earlier one found that this one resumes."""

    request: FuzzRequest
    out: Path
    seeds: Sequence[int]
    choices: Choices
    asked: Asked
    before: FuzzInfo
    java: Java


def prepare_fuzz(request: FuzzRequest) -> FuzzPlan:
    """Check the whole request; raises InputError. Writes nothing."""
    check_values(request)
    seeds, settings = seeds_of(request), settings_of(request)
    arms = list(request.arms or DEFAULT_ARMS[request.shape])
    if len(set(arms)) != len(arms):
        raise InputError(f"--arms {','.join(arms)}: expected each only once")
    release = find(request.kafka)
    require_arms(arms, request.kafka)
    out = _resumed(request.out) if request.resume and request.out else _fresh(request)
    asked = Asked(
        arms=tuple(arms), kafka=release.name, shape=request.shape, settings=settings,
        kinds=tuple(kind for kind in KINDS if why_not(kind, "local", out) is None),
        agent=sha256_of(built_agent()) if any(has_agent(arm) for arm in arms) else None,
        generator=GENERATOR,
    )  # fmt: skip
    shape: Shape = "late-write" if request.shape == "late-write" else "any"
    able = Choices(arms=arms, kinds=asked.kinds, shape=shape, settings=settings)
    choices = for_version(able, numbers(release.version))
    draw(seeds[0], choices)  # finds a setting that no scenario may have
    before = FuzzInfo(asked=asked, planned=len(seeds), schema=1)
    if request.resume:
        before = _same(load_fuzz(out), asked, out)
    return FuzzPlan(
        request=request, out=out, seeds=seeds, choices=choices, asked=asked, before=before,
        java=find_java(),
    )  # fmt: skip


def _fresh(request: FuzzRequest) -> Path:
    return check_out(request.out or Path("insync-runs") / f"fuzz-{time.strftime('%Y%m%d-%H%M%S')}")


def _resumed(out: Path) -> Path:
    if not (out / RESULT).is_file():
        raise InputError(f"--out {out}: no {RESULT} in it, expected the folder of a fuzz to resume")
    return out.absolute()


def _same(before: FuzzInfo, asked: Asked, out: Path) -> FuzzInfo:
    """Return the earlier result if it was made by the same brokers and kinds; else InputError."""
    for name, words in _WORDS.items():
        then, now = getattr(before.asked, name), getattr(asked, name)
        if then != now:
            raise InputError(
                f"--resume {out}: its {words}: {_written(then)}, now {_written(now)}; expected the"
                " same, or a new folder"
            )
    return before


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={each}" for key, each in value.items()) or "none"
    return "none" if value is None else str(value)
