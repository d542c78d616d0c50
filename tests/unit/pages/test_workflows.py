"""What docs/start/ci has for CI is valid, and runs commands that exist."""

import itertools
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types

from unit.pages.test_commands import accept

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
