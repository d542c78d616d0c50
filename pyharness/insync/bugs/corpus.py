"""The bugs: a file for each in `corpus/`, and why others are not played, in `tried.toml`.

A bug names what must be found by bounds on metrics, which mean the same in every scenario.
"""

import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Annotated, Any, Final

import tomli_w
from pydantic import Field, ValidationError

from insync.errors import InputError, require_known
from insync.fields import Part
from insync.scenario.load import load, parse
from insync.scenario.model import Bounds, Scenario
from insync.scenario.names import Metric
from insync.scenario.problems import describe

ARM: Final = "stock"
_FOLDER: Final = resources.files("insync.bugs") / "corpus"
_TRIED: Final = resources.files("insync.bugs") / "tried.toml"
_SUFFIX: Final = ".toml"
Id = Annotated[str, Field(pattern=r"^KAFKA-\d+$")]
Release = Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")]


class Bug(Part):
    """A bug.

    Args:
        id: the issue in Kafka's tracker.
        summary: what goes wrong, in one sentence.
        affected: a release that has the bug.
        fixed: one that does not have it any more; None: there is none yet.
        minutes: about how long one repeat takes, both releases together.
        found: what must be found in the affected release and not in the fixed one: metrics of a
            repeat within all of these bounds.
        scenario: the name of a built-in scenario, or the keys of one. Its arm, repeats, name and
            summary are the bug's, and its expectations are replaced by `found`.

    """

    id: Id
    summary: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\n]*$")]
    affected: Release
    fixed: Release | None = None
    minutes: Annotated[float, Field(gt=0, strict=False)]
    found: Annotated[dict[Metric, Bounds], Field(min_length=1)]
    scenario: str | dict[str, Any]

    @property
    def releases(self) -> Sequence[str]:
        """The releases on which it is played, the affected one first."""
        return [self.affected, *([self.fixed] if self.fixed else [])]

    def resolved(self) -> Scenario:
        """Return its scenario, with one repeat of stock Kafka; raises InputError."""
        written = self.scenario
        keys = load(written).as_dict() if isinstance(written, str) else written
        own = {
            "schema": 1,
            **{name: value for name, value in keys.items() if not name.startswith("expect")},
            "name": self.id.lower(), "summary": self.summary, "arms": [ARM], "control_arms": [],
            "compare": [], "repeats": 1,
        }  # fmt: skip
        return parse(tomli_w.dumps(own), f"{self.id}: scenario")


def bugs() -> Mapping[str, Bug]:
    """Return all bugs by id, in the order of their numbers; raises InputError."""
    files = [each for each in _FOLDER.iterdir() if each.name.endswith(_SUFFIX)]
    found = {
        each.name.removesuffix(_SUFFIX): read(each.read_text(encoding="utf-8"), each.name)
        for each in files
    }
    return dict(sorted(found.items(), key=lambda pair: int(pair[0].partition("-")[2])))


def read(text: str, origin: str) -> Bug:
    """Return the bug of a file; raises InputError with a line per problem."""
    try:
        bug = Bug.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{origin}: invalid TOML: {error}") from error
    except ValidationError as error:
        raise InputError("\n".join(f"{origin}: {each}" for each in describe(error))) from error
    if origin != f"{bug.id}{_SUFFIX}":
        raise InputError(f"{origin}: id: {bug.id!r}, expected the file's name without {_SUFFIX}")
    return bug


def chosen(ids: Sequence[str]) -> list[Bug]:
    """Return the bugs that are named, all if none is; raises InputError."""
    known = bugs()
    require_known("bug", ids, known)
    return [bug for bug in known.values() if not ids or bug.id in ids]


def tried() -> Mapping[str, str]:
    """Return why other bugs are not played, by id."""
    found: dict[str, str] = tomllib.loads(_TRIED.read_text(encoding="utf-8"))
    return found
