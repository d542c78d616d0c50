"""tests/data/seeds.toml traces each statement of the source documents to what exists."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from insync import arms
from insync.analysis.checks.registry import ANOMALIES
from insync.faults.registry import KINDS
from insync.metrics import METRICS
from insync.scenario.groups import builtin_files
from insync.scenario.load import load

ROOT = Path(__file__).parents[2]
SEEDS = tomllib.loads((ROOT / "tests" / "data" / "seeds.toml").read_text(encoding="utf-8"))
CODE = re.compile(r"`([^`]+)`")
LIST = r"((?:`[^`]+`(?:, | and )?)+)"
JAVA_TEST = re.compile(r"(\w+Test)\.(\w+)")
KNOWN = {
    "scenario": set(builtin_files()),
    "arm": set(arms.ARMS),
    "metric": set(METRICS),
    "fault": set(KINDS),
    "anomaly": {anomaly.name for anomaly in ANOMALIES},
}


class Row(NamedTuple):
    """A statement, where insync has it, and what shows it."""

    id: str
    statement: str
    place: str
    shown: str


def rows() -> list[Row]:
    return [Row(id=name, **cells) for name, cells in SEEDS.items()]


def named(kind: str, text: str) -> list[str]:
    """Return the names that follow a word such as "scenario" or "arms"."""
    lists = re.findall(rf"\b{kind}(?:s| kinds?)? {LIST}", text)
    found = [name for names in lists for name in CODE.findall(names)]
    return [name for name in found if "/" not in name and not JAVA_TEST.fullmatch(name)]


def is_there(name: str) -> bool:
    """Whether a file, or a test in a file, exists."""
    path, _, test = name.partition("::")
    file = ROOT / path
    return file.exists() and (not test or f"\ndef {test}(" in file.read_text())


def is_java_test(name: str) -> bool:
    of_class, method = name.split(".")
    files = (ROOT / "plugin-java").glob(f"*/src/**/{of_class}.java")
    return any(f" {method}(" in file.read_text() for file in files)


def missing(row: Row) -> Iterator[str]:
    """Yield what a row names that does not exist."""
    text = f"{row.place} | {row.shown}"
    for kind, known in KNOWN.items():
        yield from (f"{kind} {name}" for name in named(kind, text) if name not in known)
    for name in CODE.findall(text):
        if JAVA_TEST.fullmatch(name):
            if not is_java_test(name):
                yield name
        elif "/" in name and not is_there(name):
            yield name


def not_in_scenario(row: Row) -> Iterator[str]:
    """Yield arms that the last column names beside scenarios of which none has that arm."""
    scenarios = [load(name) for name in named("scenario", row.shown)]
    for arm in named("arm", row.shown) if scenarios else []:
        if not any(arm in arms.expected_as(each) for one in scenarios for each in one.arms):
            yield arm


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.id)
def test_a_row_names_what_exists_and_shows_it(row: Row) -> None:
    assert list(missing(row)) == []
    assert list(not_in_scenario(row)) == []
    assert row.shown or "**" in row.place, "neither shown nor a recorded deviation or contradiction"
    assert "TODO" not in f"{row.place}{row.shown}"


def test_the_rows_are_numbered_in_order_and_none_is_left_out() -> None:
    for letter in "KAJ":
        numbers = [int(row.id[1:]) for row in rows() if row.id.startswith(letter)]
        assert numbers == list(range(1, len(numbers) + 1))


def test_the_check_finds_what_does_not_exist() -> None:
    row = Row(
        "K1", "", "`tests/none.py`, fault `none`",
        "scenarios `kip-501`, `none`, arm `bound`, `NoTest.none`, `tests/unit/test_seeds.py::none`",
    )  # fmt: skip
    assert set(missing(row)) == {
        "scenario none", "fault none", "tests/none.py", "NoTest.none",
        "tests/unit/test_seeds.py::none",
    }  # fmt: skip
    assert list(not_in_scenario(row._replace(shown="scenario `kip-501`, arm `bound`"))) == ["bound"]
