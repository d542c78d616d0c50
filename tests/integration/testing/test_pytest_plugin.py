"""The pytest plugin in a user's folder: a checked history that passes, and one that fails."""

from __future__ import annotations

import re
import shutil
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from commands import Done, run_python

ROOT = Path(__file__).parents[3]
TESTS = ROOT / "tests" / "data" / "pytest-plugin" / "histories.py"
PLUGIN = "insync.testing.plugin"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    folder = tmp_path_factory.mktemp("user")
    shutil.copy(TESTS, folder / "test_histories.py")
    at = ("--insync-cluster", "local", "--basetemp", folder / "out", "-p", "no:cacheprovider")
    return run_python("-m", "pytest", "-q", *at, cwd=folder)


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    assert [each.value for each in entry_points(group="pytest11", name="insync")] == [PLUGIN]


def test_a_history_is_checked(done: Done) -> None:
    """The only test that passes has a kill of a leader in it, and ends with a verdict."""
    assert "1 passed, 2 errors" in done.stdout or "2 passed, 2 errors" in done.stdout, done.stdout


def test_a_failure_names_the_report_and_shows_the_brokers(done: Done) -> None:
    reports = [Path(found) for found in re.findall(r"report: (\S+report\.html)", done.stdout)]
    assert reports
    assert all(each.is_file() for each in reports)
    assert (
        "history of topic payments: fail: stock, repeat 1: corrupt was 1, expected 0" in done.stdout
    )
    assert re.search(
        r"^cluster: local \(--insync-cluster\), Kafka 4\.3\.1", done.stdout, re.MULTILINE
    )
    assert re.search(
        r"^broker 1, the last lines of \S+stdout\.log:\n  \S", done.stdout, re.MULTILINE
    )


def test_an_unknown_scenario_is_one_line(done: Done) -> None:
    assert re.search(r"InputError: no-such-scenario: .*", done.stdout)
    assert "never reached" not in done.stdout.replace(TESTS.read_text(), "")
