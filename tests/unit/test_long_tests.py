"""What `make test` leaves to `make test-all`: tests/data/long-tests.toml lists exactly that."""

import ast
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from every_scenario import Row, all_rows, short_rows
from fault_runs import FAULTS
from insync.arms import ARMS
from insync.scenario.load import builtin_names, load

ROOT = Path(__file__).parents[2]
LISTED = tomllib.loads((ROOT / "tests" / "data" / "long-tests.toml").read_text(encoding="utf-8"))
MAKEFILE = ROOT / "Makefile"
ELSEWHERE = (
    "add-replica", "answer", "client-freeze", "corrupt", "create-topic", "delete-topic",
    "disk-full", "disk-stall", "kill", "memory-pressure", "more-partitions", "move-log-dir",
    "power-failure", "produce-flood", "quorum-link", "read-error", "remove-replica", "stop",
    "topic-churn", "write-error",
)  # fmt: skip
"""Kinds of faults with tests of their own: test_faults_disk.py, test_faults_effects.py,
test_memory_pressure.py, test_stall_shim.py, test_requests.py, test_answers.py,
and test_operators.py."""


def long_tests(source: str) -> Iterator[str]:
    """Yield the tests that are marked `long`, with all or with some of their parameters."""
    module = ast.parse(source).body
    # Parameters with a name of their own, such as VERSIONS.
    named = {
        target.id
        for each in module
        if isinstance(each, ast.Assign) and _is_long(each)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    tests = (each for each in module if isinstance(each, ast.FunctionDef))
    for test in tests:
        if any(_is_long(mark, named) for mark in test.decorator_list):
            yield test.name


def _is_long(code: ast.AST, named: Collection[str] = ()) -> bool:
    return any(
        (isinstance(each, ast.Attribute) and each.attr == "long")
        or (isinstance(each, ast.Name) and each.id in named)
        for each in ast.walk(code)
    )


def test_every_long_test_is_listed_and_nothing_else() -> None:
    found = [
        f"{file.relative_to(ROOT)}::{name}"
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in long_tests(file.read_text(encoding="utf-8"))
    ]
    assert found
    assert sorted(LISTED["tests"]) == sorted(found)


def test_every_scenario_and_arm_that_make_test_leaves_out_is_listed_and_nothing_else() -> None:
    short = short_rows()
    scenarios = set(builtin_names()) - {row.scenario for row in short}
    arms = arms_of(all_rows()) - arms_of(short)
    assert sorted(LISTED["scenarios"]) == sorted(scenarios)
    assert sorted(LISTED["arms"]) == sorted(arms)


def test_a_test_is_long_by_its_own_mark_or_by_a_parameters() -> None:
    source = (
        "@pytest.mark.long\n"
        "def test_one(): ...\n"
        "@pytest.mark.parametrize('a', [pytest.param(1, marks=pytest.mark.long), 2])\n"
        "def test_two(): ...\n"
        "@pytest.mark.cluster\n"
        "def test_three(): ...\n"
        "EACH = [pytest.param(1, marks=pytest.mark.long), 2]\n"
        "@pytest.mark.parametrize('a', EACH)\n"
        "def test_four(): ...\n"
    )
    assert list(long_tests(source)) == ["test_one", "test_two", "test_four"]


def test_every_scenario_arm_and_kind_of_fault_is_run() -> None:
    rows, named = short_rows(), builtin_names()
    assert {row.scenario for row in all_rows()} == set(named)
    assert arms_of(all_rows()) <= set(ARMS)
    alone = {*ELSEWHERE, *(fault["kind"] for fault in FAULTS.values())}
    assert kinds({row.scenario for row in rows}) | alone >= kinds(set(named))


def arms_of(rows: Iterable[Row]) -> set[str]:
    return {arm for row in rows for arm in row.arms}


def kinds(names: set[str]) -> set[str]:
    return {fault.kind for name in names for fault in load(name).faults}


def test_the_scenarios_are_recorded_by_one_process_only() -> None:
    """A test that reads the recording, in another process, would record them again."""
    (listed,) = re.findall(r"^MEASURED := (.*?\))$", MAKEFILE.read_text(), re.MULTILINE | re.DOTALL)
    integration = ROOT / "tests" / "integration"
    readers = {
        file.relative_to(integration).as_posix()
        for file in integration.rglob("test_*.py")
        if "mark.scenario(" in file.read_text(encoding="utf-8")
    }
    assert readers
    assert readers <= set(re.findall(r"[\w/]+\.py", listed))
