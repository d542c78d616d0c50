"""The pytest plugin in a user's folder: the example of the docs, and histories that fail."""

import re
import shutil
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from commands import Done, run_python

ROOT = Path(__file__).parents[3]
TESTS = ROOT / "tests" / "data" / "pytest-plugin" / "histories.py"
DOCS = ROOT / "docs" / "test" / "pytest.md"
EXAMPLE = re.compile(r"^```python\n# test_orders\.py\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    folder = tmp_path_factory.mktemp("user")
    shutil.copy(TESTS, folder / "test_histories.py")
    (example,) = EXAMPLE.findall(DOCS.read_text(encoding="utf-8"))
    (folder / "test_orders.py").write_text(example, encoding="utf-8")
    at = ("--insync-cluster", "local", "--basetemp", folder / "out", "-p", "no:cacheprovider")
    return run_python("-m", "pytest", "-q", *at, cwd=folder)


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    found = [each.value for each in entry_points(group="pytest11", name="insync")]
    assert found == ["insync.testing.plugin"]


@pytest.mark.long
def test_the_example_of_the_docs_passes(done: Done) -> None:
    """Its leader is killed; the other test's own lines pass, and its history fails at the end."""
    assert "2 passed, 2 errors" in done.stdout, done.stdout
    assert not re.search(r"^FAILED", done.stdout, re.MULTILINE)


@pytest.mark.long
def test_a_failure_names_the_report_and_shows_the_brokers(done: Done) -> None:
    reports = [Path(found) for found in re.findall(r"report: (\S+report\.html)", done.stdout)]
    assert reports
    assert all(each.is_file() for each in reports)
    words = "history of topic payments: fail: stock, repeat 1: corrupt was 1, expected 0"
    assert words in done.stdout
    shown = (
        r"^cluster: local \(--insync-cluster\), Kafka 4\.3\.1",
        r"^broker 1, the last lines of \S+stdout\.log:\n  \S",
    )
    assert all(re.search(each, done.stdout, re.MULTILINE) for each in shown), done.stdout


@pytest.mark.long
def test_an_unknown_scenario_is_one_line(done: Done) -> None:
    assert "InputError: no-such-scenario: no such scenario, expected" in done.stdout
    assert "AssertionError: never reached" not in done.stdout
