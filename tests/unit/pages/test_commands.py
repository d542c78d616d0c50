"""Every command in the documents and in the CI of docs/start/ci exists, with arguments it takes.

Those that need no broker are executed; of the others the command line accepts the arguments.
Blocks that are marked `text` are output, or pictures.
"""

import itertools
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types
from typer.main import get_command

from insync.arms import ARMS
from insync.cli.app import app, invoke
from insync.scenario.groups import groups
from insync.scenario.load import builtin_names

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"^[ ]*```(?P<kind>\w*)\n(?P<text>.*?)^[ ]*```$", re.M | re.S)
INLINE = re.compile(r"`(insync [^`]*)`")
VALUE = re.compile(r'\$\((?:[^()"]|"[^"]*")*\)')
SETTING = re.compile(r"^[a-z][a-z.]+=\S+$")
#: Programs of others, whose arguments this test does not know.
OTHERS = {
    "./gradlew", "cd", "chmod", "cp", "curl", "docker", "git", "grep", "java", "kubectl", "mvn",
    "for", "osv-scanner", "pip", "pipx", "pre-commit", "promtool", "ps", "scp", "sed", "sha512sum",
    "sort", "ssh",
}  # fmt: skip
#: Commands that need no broker, no folder and no network.
EXECUTED = (
    "insync scenarios", "insync scenarios kip-501", "insync check kip-501", "insync faults",
    "insync agent", "insync bugs --list",
)  # fmt: skip


class Command(NamedTuple):
    page: str
    words: tuple[str, ...]


def pages() -> list[Path]:
    git = ["git", "ls-files", "*.md"]
    done = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.split() if (ROOT / name).is_file()]


def commands_of(text: str) -> Iterator[list[str]]:
    """Yield the words of each command in the blocks of a page."""
    for block in BLOCK.finditer(text):
        if block["kind"] in ("", "sh", "bash"):
            yield from _in_block(block["text"])


def _in_block(text: str) -> Iterator[list[str]]:
    """Yield the words of each command; code over several lines, and `$(...)`, are values."""
    text = VALUE.sub("VALUE", re.sub(r'"[^"]*\n[^"]*"', "VALUE", text.replace("\\\n", " ")))
    for line in text.splitlines():
        words = shlex.split(line.strip(), comments=True)
        if not words or SETTING.match(line.strip()):
            continue
        while words:
            end = next(
                (at for at, word in enumerate(words) if word in ("&&", "|", "||")), len(words)
            )
            yield _without_variables(words[:end])
            words = words[end + 1 :]


def _without_variables(words: list[str]) -> list[str]:
    """Leave out the variables that a command is given, and `export`."""
    words = words[words[:1] == ["export"] :]
    begin = next((at for at, word in enumerate(words) if not re.match(r"^[A-Z_]+=", word)), None)
    return words[begin:] if begin is not None else []


COMMANDS = [
    Command(str(page.relative_to(ROOT)), tuple(words))
    for page in pages()
    for words in commands_of(page.read_text(encoding="utf-8"))
    if words
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: f"{each.page}: {each.words[:4]}")
def test_a_command_exists_with_its_arguments(command: Command) -> None:
    program, *arguments = command.words
    program = program.removeprefix(".venv/bin/")
    if program == "insync":
        accept(arguments)
    elif program == "make":
        made_by_make(arguments)
    elif program == "python":
        assert is_program(arguments), arguments
    elif program == "pytest":
        paths = [each for each in arguments if each.startswith("tests/")]
        assert all((ROOT / path.partition("::")[0]).exists() for path in paths)
    elif program == "gradle":
        tasks = [each for each in arguments if not each.startswith("-")]
        git = ["git", "grep", "-h", "", "--", "*.gradle"]
        builds = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        assert tasks
        assert all(task in builds for task in tasks)
    else:
        assert program in OTHERS or program.startswith("bin/kafka-"), program


def accept(arguments: list[str]) -> None:
    """Let the command line parse arguments, and check the names among them."""
    command, context = get_command(app), None
    while arguments and hasattr(command, "commands") and arguments[0] in command.commands:
        context = command.make_context("insync", [], parent=context, resilient_parsing=True)
        command, arguments = command.commands[arguments[0]], arguments[1:]
    parsed: Any = command.make_context("insync", list(arguments), parent=context)
    values = parsed.params
    known = {*builtin_names(), *groups()}
    if (scenario := values.get("scenario")) and command.name == "run":
        assert scenario in known or scenario.endswith(".toml") or scenario.isupper(), scenario
    for arm in (values.get("arms") or "").split(","):
        assert not arm or arm in ARMS or command.name == "kafka-tests", arm
    for name in (values.get("only") or "").split(","):
        assert not name or name in known or name.isupper(), name


def made_by_make(arguments: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for each in arguments:
        pattern = rf"^{each.partition('=')[0]} *:?=" if "=" in each else rf"^{each}:"
        assert re.search(pattern, makefile, re.MULTILINE), each


def is_program(arguments: list[str]) -> bool:
    """Whether `python` can run what it is given: code, a module or a file of this repository."""
    if arguments[0] == "-c":
        return True
    if arguments[0] != "-m":
        return (ROOT / arguments[0]).is_file()
    path = Path(*arguments[1].split("."))
    tops = (ROOT / "pyharness", ROOT / "tests", ROOT / "plugin-java" / "upstream")
    return any((top / path).is_dir() or (top / path).with_suffix(".py").is_file() for top in tops)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_command_in_a_sentence_exists_with_its_options(page: Path) -> None:
    for text in INLINE.findall(page.read_text(encoding="utf-8")):
        command, words = get_command(app), text.split()[1:]
        while words and words[0] in getattr(command, "commands", {}):
            command, words = command.commands[words[0]], words[1:]
        if words and hasattr(command, "commands"):
            assert words[0].isupper() or words[0].startswith("--"), text
        options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
        used = {word.strip(",") for word in words if word.startswith("--")} - {"--help"}
        assert used <= options, text


@pytest.mark.parametrize("command", EXECUTED)
def test_what_needs_no_broker_is_executed(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert any(command == " ".join(each.words) for each in COMMANDS), "on a page"
    assert invoke(command.split()[1:]) == 0
    assert capsys.readouterr().out


def test_the_check_finds_what_does_not_exist() -> None:
    page = (
        "```text\n[insync] woven\n```\n\nText.\n\n```\n"
        "replica.fetch.backoff.ms=100\nA=1 insync run x \\\n  --arms stock    # why\n"
        "make nothing && .venv/bin/pytest tests/none\n```\n"
    )
    found = list(commands_of(page))
    assert found == [
        ["insync", "run", "x", "--arms", "stock"], ["make", "nothing"],
        [".venv/bin/pytest", "tests/none"],
    ]  # fmt: skip
    for words in found[:1]:
        with pytest.raises(AssertionError):
            accept(words[1:])
    with pytest.raises(AssertionError):
        made_by_make(["nothing"])
    with pytest.raises(Exception, match=r"[Nn]o such option"):
        accept(["run", "kip-501", "--none"])


FOLDER = Path(__file__).parents[3] / "docs" / "start" / "ci"
JOB = FOLDER / "fuzz-job.yml"
FILES = sorted(set(FOLDER.glob("*.yml")) - {JOB})
WORKFLOWS = {file.stem: yaml.safe_load(file.read_text()) for file in FILES}
EXPRESSION = re.compile(r"\$\{\{ *matrix\.(\w+) *\}\}")


def jobs(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each job once per entry of its matrix, with the entry's values in all texts."""
    for job in workflow["jobs"].values():
        entries = job.get("strategy", {}).get("matrix", {}).get("include", [{}])
        yield from (_filled(job, entry) for entry in entries)


def _filled(part: Any, values: dict[str, str]) -> Any:
    if isinstance(part, dict):
        return {key: _filled(value, values) for key, value in part.items()}
    if isinstance(part, list):
        return [_filled(each, values) for each in part]
    return EXPRESSION.sub(lambda name: values[name[1]], part) if isinstance(part, str) else part


def commands(workflow: dict[str, Any], program: str) -> Iterator[list[str]]:
    """Yield the words of each command of all steps that begins with a program."""
    for job in jobs(workflow):
        for step in job["steps"]:
            for line in step.get("run", "").replace("\\\n", " ").splitlines():
                words = shlex.split(line)
                if words[0] == program:
                    yield words[: words.index("|")] if "|" in words else words


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_command_exists_with_its_options(name: str) -> None:
    workflow = WORKFLOWS[name]
    for words in commands(workflow, "insync"):
        accept(words[1:])
    plugin = (FOLDER.parents[2] / "pyharness" / "insync" / "testing" / "plugin.py").read_text()
    for words in commands(workflow, "pytest"):
        own = {each for each in words if each.startswith("--insync")}
        assert own
        assert all(f'"{each}"' in plugin for each in own)
    programs = {line.split()[0] for job in jobs(workflow) for step in job["steps"]
                for line in step.get("run", "").replace("\\\n", " ").splitlines()}  # fmt: skip
    assert programs <= {"./gradlew", "pip", "insync", "pytest"}


@pytest.mark.skipif(find_spec("check_jsonschema") is None, reason="check-jsonschema is missing")
def test_both_are_workflows_by_githubs_schema(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text((FOLDER / "service.yml").read_text().replace("runs-on:", "run-on:"))
    schema = ("--builtin-schema", "vendor.github-workflows", "--output-format", "json")
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *schema, *FILES, wrong],
        capture_output=True, check=False,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert {error["filename"] for error in found["errors"]} == {str(wrong)}
    assert found["parse_errors"] == []


def test_a_shard_writes_its_result_into_the_summary_of_the_job_also_if_it_fails() -> None:
    steps = WORKFLOWS["kafka-patch"]["jobs"]["verify"]["steps"]
    (summary,) = (step for step in steps if "GITHUB_STEP_SUMMARY" in step.get("run", ""))
    assert summary["if"] == "always()"


def test_a_patch_is_judged_on_the_scenarios_of_the_default_group_in_disjoint_shards() -> None:
    found = commands(WORKFLOWS["kafka-patch"], "insync")
    shards = [dict(itertools.pairwise(words)) for words in found if words[1] == "verify"]
    scenarios = [name for shard in shards for name in shard["--only"].split(",")]
    assert len(scenarios) == len(set(scenarios))
    seeds = [shard["--seeds"] for shard in shards]
    assert len(seeds) == len(set(seeds)) == len(shards)
    assert {shard["--out"] for shard in shards} == {"verify"}


def test_what_is_downloaded_was_made_before() -> None:
    workflow = WORKFLOWS["kafka-patch"]
    steps = [step for job in jobs(workflow) for step in job["steps"]]
    up = {step["with"]["name"] for step in steps if "upload-artifact" in step.get("uses", "")}
    down = {step["with"]["name"] for step in steps if "download-artifact" in step.get("uses", "")}
    assert down <= up


def test_the_job_of_shards_is_one_by_kubernetes_schema() -> None:
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    job = yaml.safe_load(JOB.read_text())
    latest = kubernetes_validate.latest_version()
    kubernetes_validate.validate(job, latest, strict=True)
    job["spec"]["completion"] = job["spec"].pop("completions")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(job, latest, strict=True)


def test_each_pod_of_the_job_has_a_shard_of_its_own() -> None:
    job = yaml.safe_load(JOB.read_text())["spec"]
    (text,) = job["template"]["spec"]["containers"][0]["args"]
    accept(shlex.split(text.replace("$((JOB_COMPLETION_INDEX + 1))", "1"))[1:])
    assert job["completionMode"] == "Indexed"
    assert f"--shard $((JOB_COMPLETION_INDEX + 1))/{job['completions']} " in text
