"""A result: a tree of checks. It writes and reads its own JSON; a parent is its worst child."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from insync.errors import InputError
from insync.outcome import Outcome, worst

SCHEMA: Final = 1


class Table(BaseModel):
    """A table with a heading; all cells are text, `numeric` columns are aligned to the right.

    `empty` is shown instead of no rows; `more` is how many rows are not shown.
    """

    model_config = ConfigDict(frozen=True)

    title: str
    columns: Sequence[str]
    numeric: Sequence[int] = ()
    rows: Sequence[Sequence[str]] = ()
    empty: str = "None."
    more: int = 0

    def cut(self, most: int) -> Table:
        left_out = max(len(self.rows) - most, 0)
        return self.model_copy(update={"rows": self.rows[:most], "more": self.more + left_out})

    @property
    def grouped(self) -> bool:
        """Whether several rows have the same first cell."""
        return len({row[0] for row in self.rows}) < len(self.rows)


class Result(BaseModel):
    """A check, or checks that belong together.

    Attributes:
        of: what it is about, such as an arm, a scenario, a level or a test class.
        expected: what must hold, in words.
        found: what was found; of a problem, what is wrong.
        baseline: what was found of that with which it is compared.
        outcome: that of a check; that of a parent is the worst of its children.
        links: paths relative to the file, by their words.
        children: the checks that it consists of.
        tables: figures to show beside the checks.
        facts: what was judged and how, by name.
        seconds: how long it took.
        command: the command that repeats it.

    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    of: str
    outcome: Outcome = Outcome.UNKNOWN
    expected: str = ""
    found: str = ""
    baseline: str = ""
    seconds: float = 0.0
    command: str = ""
    links: Mapping[str, str] = Field(default_factory=dict)
    facts: Mapping[str, str] = Field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    children: tuple[Result, ...] = ()

    @model_validator(mode="after")
    def _is_its_worst_child(self) -> Result:
        if self.children:
            object.__setattr__(self, "outcome", worst(each.outcome for each in self.children))
        return self

    @property
    def reason(self) -> str:
        """Return in a sentence without a full stop what the outcome rests on."""
        if not self.children:
            return self.found or self.expected or "nothing was judged"
        own = [each for each in self.checks() if each[1].outcome == self.outcome]
        if self.outcome == Outcome.PASS:
            return f"{len(own)} check{'s' if len(own) != 1 else ''} passed"
        if not self.outcome.is_problem:
            return f"nothing was judged: {len(own)} {self.outcome}"
        (path, first), *more = own
        rest = f" (and {len(more)} more)" if more else ""
        return f"{', '.join(path)}: {first.reason}{rest}"

    def checks(self) -> Iterator[tuple[tuple[str, ...], Result]]:
        """Yield each check without children, and the way to it: what its parents and it are about.

        Without children it is one itself.
        """
        if not self.children:
            yield (), self
        for each in self.children:
            for path, check in each.checks():
                yield (each.of, *path), check

    def count(self, outcome: Outcome) -> int:
        """Return how many checks have an outcome."""
        return sum(each.outcome == outcome for _, each in self.checks())

    def child(self, of: str) -> Result | None:
        return next((each for each in self.children if each.of == of), None)

    def below(self, folder: str) -> Result:
        """Return it for the file of another result, in whose folder its own file's folder is."""
        links = {words: f"{folder}/{path}" for words, path in self.links.items()}
        children = tuple(each.below(folder) for each in self.children)
        return self.model_copy(update={"links": links, "children": children})

    def as_json(self) -> str:
        """Return the content of a file: the verdict and its reason, then the tree."""
        head = {"schema": SCHEMA, "verdict": self.outcome.verdict, "reason": self.reason}
        tree = self.model_dump(mode="json")
        return json.dumps({**head, **tree}, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, file: Path, what: str) -> Result:
        """Read a file that should hold `what`; raises InputError."""
        try:
            keys = json.loads(file.read_bytes())
            if keys["schema"] != SCHEMA:
                raise InputError(f"{file}: schema {keys['schema']}, expected {SCHEMA}")
            return cls.model_validate(keys)
        except OSError as error:
            raise InputError(f"{file.parent}: not {what} ({file.name}: {error.strerror})") from None
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise InputError(f"{file}: {where}: {first['msg']}") from None
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{file}: not {what}, expected an object with a schema") from None

    @model_serializer(mode="wrap")
    def _without_what_is_empty(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        keys: dict[str, Any] = write(self)
        return {name: value for name, value in keys.items() if value or name == "outcome"}
