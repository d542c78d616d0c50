"""docs/contracts.md lists what the code has: commands, options, names, files and fields."""

import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.main import get_command

from commands import invoke_json
from insync import arms
from insync.analysis.checks.registry import ANOMALIES
from insync.cli.app import app
from insync.events import schema

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contracts.md").read_text()
AGENT_PAGE = (ROOT / "docs" / "operate" / "configs.md").read_text()


def section(title: str, page: str = PAGE) -> str:
    return page.split(f"\n## {title}\n")[1].partition("\n## ")[0]


def names(title: str) -> set[str]:
    """Return the names of a section's first paragraph."""
    return set(re.findall(r"`([^`]+)`", section(title).strip().partition("\n\n")[0]))


def commands(command: Any, path: str = "insync") -> Iterator[tuple[str, set[str]]]:
    """Yield every command that does something, with its arguments and long options."""
    inside = getattr(command, "commands", {})
    words = {
        param.name.upper() if param.param_type_name == "argument" else param.opts[0]
        for param in command.params
    }
    if words or not inside:
        yield path, words
    for name, each in inside.items():
        yield from commands(each, f"{path} {name}")


def recorded(archive: str, name: str) -> Any:
    with tarfile.open(ROOT / "tests" / "data" / "recorded" / archive) as tar:
        content = tar.extractfile(name)
        assert content
        return json.load(content)


def test_commands_and_options() -> None:
    rows = re.findall(r"^\| `(insync.*?)` \| (.*) \|$", section("Commands and options"), re.M)
    listed = {command: set(re.findall(r"`([^`]+)`", words)) for command, words in rows}
    assert listed == dict(commands(get_command(app)))


def test_names_of_arms_and_anomalies() -> None:
    assert names("Arms") == set(arms.ARMS)
    assert names("Anomalies") == {each.name for each in ANOMALIES}


@pytest.mark.parametrize(
    ("title", "command", "key"),
    [("Scenarios", "scenarios", "name"), ("Fault kinds", "faults", "kind")],
)
def test_names_that_a_command_lists(
    title: str, command: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = invoke_json(capsys, command)
    assert names(title) == {each[key] for each in listed}


def test_event_files() -> None:
    files = {value for value in vars(schema).values() if str(value).endswith(".jsonl")}
    of_repeats = {f"{kind}-N.jsonl" for kind in get_args(schema.OfRepeat)}
    listed = set(re.findall(r"`([^`/]+\.jsonl)`", section("Run folder")))
    assert listed - {"broker-N.jsonl"} == files | of_repeats


def test_fields_of_recorded_files() -> None:
    verdict = recorded("kip-501.tar.xz", "kip-501/verdict.json")
    cell = recorded("matrix.tar.xz", "matrix/matrix.json")[0]
    figures = set(verdict["arms"]["stock"])
    listed = set(re.findall(r"`([a-z0-9_]+)`", section("verdict.json")))
    assert set(verdict) | figures | set(verdict["findings"][0]) <= listed
    assert set(verdict["arms"]["stock"]["evidence"][0]) <= listed
    assert set(cell) - figures <= set(re.findall(r"`([a-z0-9_]+)`", section("matrix.json")))


def test_broker_configs_are_those_of_the_agent() -> None:
    constant = re.compile(r'String \w+ =\s*"((?:follower|leader|replica|insync)\.[a-z.]+)"')
    sources = (ROOT / "plugin-java").glob("[al]*/src/main/**/*Config*.java")
    found = {name for file in sources for name in constant.findall(file.read_text())}
    kafkas = {"replica.lag.time.max.ms", "replica.fetch.wait.max.ms"}
    rows = re.findall(r"^\| (`.*?) \|", section("Broker configs", AGENT_PAGE), re.M)
    listed = {name.rstrip("*") for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert listed == found - kafkas


def test_options_are_those_of_the_agent() -> None:
    files = [*(ROOT / "plugin-java").glob("*/src/main/**/*Options.java")]
    assert len(files) == 2, "the agent's and the lab's"
    found = {"lab"}.union(*(re.findall(r'case "([a-z-]+)":', file.read_text()) for file in files))
    rows = re.findall(r"^\| `([a-z-]+)` \|", section("Options of the agent", AGENT_PAGE), re.M)
    assert set(rows) == found
