"""The pytest plugin in a user's folder: the example of the docs, and histories that fail."""

import re
import shutil
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from commands import run_python

ROOT = Path(__file__).parents[3]
TESTS = ROOT / "tests" / "data" / "pytest-plugin" / "histories.py"
DOCS = ROOT / "docs" / "test" / "pytest.md"
EXAMPLE = re.compile(r"^```python\n# test_orders\.py\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    found = [each.value for each in entry_points(group="pytest11", name="insync")]
    assert found == ["insync.testing.plugin"]


@pytest.mark.long
def test_the_example_of_the_docs_passes_and_histories_that_fail_say_so(tmp_path: Path) -> None:
    """Its leader is killed; the other test's own lines pass, and its history fails at the end."""
    shutil.copy(TESTS, tmp_path / "test_histories.py")
    (example,) = EXAMPLE.findall(DOCS.read_text(encoding="utf-8"))
    (tmp_path / "test_orders.py").write_text(example, encoding="utf-8")
    at = ("--insync-cluster", "local", "--basetemp", tmp_path / "out", "-p", "no:cacheprovider")
    said = run_python("-m", "pytest", "-q", *at, cwd=tmp_path).stdout
    assert "2 passed, 2 errors" in said, said
    assert not re.search(r"^FAILED", said, re.MULTILINE)
    reports = [Path(found) for found in re.findall(r"report: (\S+report\.html)", said)]
    assert reports
    assert all(each.is_file() for each in reports)
    assert "history of topic payments: fail: stock, repeat 1: corrupt was 1, expected 0" in said
    for shown in (
        r"^cluster: local \(--insync-cluster\), Kafka 4\.3\.1",
        r"^broker 1, the last lines of \S+stdout\.log:\n  \S",
    ):
        assert re.search(shown, said, re.MULTILINE), said
    assert "InputError: no-such-scenario: no such scenario, expected" in said
    assert "AssertionError: never reached" not in said
