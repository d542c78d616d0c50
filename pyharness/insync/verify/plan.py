"""Check a verification before its first file: builds, levels, criteria, what is resumed."""

import hashlib
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from insync.brokers.kafka.java import Java, find_java
from insync.errors import InputError, did_you_mean
from insync.events.verify_info import (
    PLAN,
    AskedVerify,
    VerifyInfo,
    is_verification,
    load_asked,
    load_verify,
)
from insync.faults.registry import KINDS, why_not
from insync.fuzz.draw import GENERATOR
from insync.fuzz.request import seeds_of
from insync.run.plan import check_out
from insync.verify import levels
from insync.verify.criteria import Criteria, read
from insync.verify.faulted.cases import cases_of, of_side
from insync.verify.level import Level
from insync.verify.levels import faults
from insync.verify.request import VerifyRequest
from insync.verify.sides import Side, sides

ALL: Final = "all"


def _found() -> Iterator[Level]:
    for name in levels.NAMES:
        yield import_module(f"{levels.__name__}.{name}").LEVEL


LEVELS: Final[Mapping[str, Level]] = {
    level.name: level for level in sorted(_found(), key=lambda level: level.place)
}
"""The levels by name, in the order in which they run."""


def chosen(names: Sequence[str] | None) -> list[Level]:
    """Return the levels that are named, in order; without names those that are not long.

    `all` names all of them. Raises InputError.
    """
    if names is not None and list(names) == [ALL]:
        return list(LEVELS.values())
    for name in names or ():
        if name not in LEVELS:
            near = did_you_mean(name, LEVELS)
            raise InputError(
                f"--level: {name!r}, expected {ALL} or some of: {', '.join(LEVELS)}{near}"
            )
    if names is None:
        return [level for level in LEVELS.values() if not level.long]
    return [level for name, level in LEVELS.items() if name in names]


NO_SEEDS: Final = "none"
MOST_REPEATS: Final = 100
_WORDS: Final[Mapping[str, str]] = {
    "levels": "levels",
    "only": "scenarios (--only)",
    "seeds": "seeds",
    "kinds": "kinds of faults",
    "generator": "generator of seeds",
    "repeats": "repeats",
    "scale": "scale",
    "criteria": "criteria (SHA-256)",
    "unknown_methods": "permission for unknown methods",
}
_OF_SIDE: Final[Mapping[str, str]] = {
    "kafka": "Kafka",
    "jars": "jars (SHA-256)",
    "agent": "agent (SHA-256)",
    "arm": "arm",
    "settings": "broker configs",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyPlan:
    """A verification that can begin; `before` is what an earlier one found that this one resumes.

    `criteria_text` is the file of the criteria.
    """

    candidate: Side
    baseline: Side
    asked: AskedVerify
    levels: Sequence[Level]
    criteria: Criteria
    criteria_text: str
    out: Path
    java: Java
    before: VerifyInfo | None


def prepare_verify(request: VerifyRequest) -> VerifyPlan:
    """Check the whole request; raises InputError. Writes nothing except the user's cache."""
    _check_values(request)
    levels = chosen(request.levels)
    seeds = () if request.seeds == NO_SEEDS else tuple(seeds_of(request.seeds))
    text, criteria = read(request.criteria)
    out = _resumed(request.out) if request.resume and request.out else _fresh(request)
    candidate, baseline = sides(request)
    has_faults = any(level.name == faults.NAME for level in levels)
    kinds = [kind for kind in KINDS if seeds and why_not(kind, "local", out) is None]
    asked = AskedVerify(
        candidate=candidate.info, baseline=baseline.info,
        levels=tuple(level.name for level in levels),
        only=None if request.only is None else tuple(request.only), seeds=seeds,
        kinds=tuple(kinds), repeats=request.repeats, scale=request.scale,
        criteria=hashlib.sha256(text.encode()).hexdigest(),
        unknown_methods=request.unknown_methods, generator=GENERATOR if seeds else 0,
    )  # fmt: skip
    if has_faults:
        for case in cases_of(asked):
            of_side(case, baseline.info, request.repeats)
            of_side(case, candidate.info, request.repeats)
    before = None
    if request.resume:
        _check_same(load_asked(out), asked, out)
        before = load_verify(out)
    return VerifyPlan(
        candidate=candidate, baseline=baseline, asked=asked, levels=levels, criteria=criteria,
        criteria_text=text, out=out, java=find_java(), before=before,
    )  # fmt: skip


def _check_values(request: VerifyRequest) -> None:
    if not 1 <= request.repeats <= MOST_REPEATS:
        raise InputError(f"--repeats {request.repeats}: expected 1 to {MOST_REPEATS}")
    # Written so that NaN is refused, too.
    if request.scale is not None and not (request.scale > 0 and math.isfinite(request.scale)):
        raise InputError(f"--scale {request.scale:g}: expected more than 0")
    if request.resume and request.out is None:
        raise InputError("--resume: expected --out DIR, the folder of the verification to continue")


def _fresh(request: VerifyRequest) -> Path:
    name = f"verify-{time.strftime('%Y%m%d-%H%M%S')}"
    return check_out(request.out or Path("insync-runs") / name)


def _resumed(out: Path) -> Path:
    if not is_verification(out):
        raise InputError(
            f"--out {out}: no {PLAN} in it, expected the folder of a verification to resume"
        )
    return out.absolute()


def _check_same(then: AskedVerify, now: AskedVerify, out: Path) -> None:
    """Check that a verification is continued by the same builds; raises InputError."""
    for side in ("candidate", "baseline"):
        own, other = getattr(then, side), getattr(now, side)
        for name, words in _OF_SIDE.items():
            _compare(f"the {side}'s {words}", getattr(own, name), getattr(other, name), out)
    for name, words in _WORDS.items():
        _compare(f"its {words}", getattr(then, name), getattr(now, name), out)


def _compare(what: str, then: object, now: object, out: Path) -> None:
    if then != now:
        raise InputError(
            f"--resume {out}: {what}: {_written(then)}, now {_written(now)}; expected the same, or"
            " a new folder"
        )


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={each}" for key, each in value.items()) or "none"
    return "none" if value is None else str(value)
