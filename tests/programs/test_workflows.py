"""Every `run:` step of docs/start/ci is executed in order, as a runner does: by `bash -e`.

So are the lines of docs/test/pytest.md that install what its first example needs.

Kafka's own build is made up: a `gradlew` that leaves the jars of a release. The shard is small.
"""

import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it has no types

from insync.brokers.kafka.java import find_java
from insync.brokers.kafka.resolve import distribution
from integration.test_own_build import packed

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "test" / "pytest.md"
INSTALLED = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^```python\n# test_orders\.py\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHARD = {"shard": "small", "only": "read-stall", "seeds": "none"}
GRADLEW = """#!/bin/sh
[ "$*" = "--no-daemon -q releaseTarGz" ] || exit 1
mkdir -p core/build/distributions && cp {packed} core/build/distributions/
touch core/build/distributions/kafka_2.13-4.3.1-site-docs.tgz
"""


class Runner:
    """A folder of a job, with the Python that `setup-python` gives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        (self.folder / "insync").symlink_to(ROOT)
        self.summary = folder / "summary.md"
        subprocess.run([sys.executable, "-m", "venv", folder / "python"], check=True)
        own = {"GITHUB_STEP_SUMMARY": str(self.summary), "PIP_NO_COMPILE": "1"}
        pinned = {"PIP_CONSTRAINT": str(ROOT / "pyharness" / "constraints.txt")}
        path = f"{folder / 'python' / 'bin'}:{os.environ['PATH']}"
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self.environment = {**env, **own, **pinned, "PATH": path}

    def run(self, job: dict[str, Any]) -> None:
        """Run the steps of a job; uploads go where a later job downloads them."""
        for step in job["steps"]:
            if text := step.get("run"):
                for key, value in SHARD.items():
                    text = text.replace(f"${{{{ matrix.{key} }}}}", value)
                done = subprocess.run(
                    ["bash", "-e", "-c", text], cwd=self.folder, env=self.environment,
                    capture_output=True, text=True, check=False, timeout=900,
                )  # fmt: skip
                assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
            elif "upload-artifact" in step["uses"]:
                self._upload(step)

    def _upload(self, step: dict[str, Any]) -> None:
        wanted = [line for line in step["with"]["path"].split("\n") if line and line[0] != "!"]
        refused = [line[1:] for line in step["with"]["path"].split("\n") if line[:1] == "!"]
        found = [file for each in wanted for file in self.folder.glob(each)]
        kept = [
            file
            for file in found
            if not any(fnmatch(str(file.relative_to(self.folder)), each) for each in refused)
        ]
        assert kept or step.get("if") == "failure()", step
        if step["with"]["name"] == "kafka":
            shutil.copy(kept[0], self.folder)
            assert len(kept) == 1


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def workflow(name: str) -> dict[str, Any]:
    text = (ROOT / "docs" / "start" / "ci" / f"{name}.yml").read_text()
    jobs: dict[str, Any] = yaml.safe_load(text)["jobs"]
    return jobs


@pytest.mark.long
def test_a_patch_of_kafka_is_built_and_verified(runner: Runner, tmp_path: Path) -> None:
    build = packed(distribution("4.3.1", find_java()), tmp_path / "kafka_2.13-4.3.1.tgz")
    gradlew = runner.folder / "gradlew"
    gradlew.write_text(GRADLEW.format(packed=build))
    gradlew.chmod(0o755)
    jobs = workflow("kafka-patch")
    runner.run(jobs["build"])
    runner.run(jobs["verify"])
    assert "pass" in runner.summary.read_text()


@pytest.mark.long
def test_a_services_own_tests_run(runner: Runner) -> None:
    (example,) = EXAMPLE.findall(PAGE.read_text())
    (runner.folder / "tests").mkdir()
    (runner.folder / "tests" / "test_orders.py").write_text(example)
    runner.run(workflow("service")["test"])
    assert 'failures="0"' in (runner.folder / "junit.xml").read_text()


@pytest.mark.long
def test_the_first_example_of_the_pytest_page_runs_with_what_that_installs(runner: Runner) -> None:
    """In an empty environment, by the page's own lines."""
    page = PAGE.read_text()
    (install,), (example,) = INSTALLED.findall(page), EXAMPLE.findall(page)
    assert "`pytest --insync-cluster local` runs it" in page
    (runner.folder / "test_orders.py").write_text(example)
    (runner.folder / "insync").unlink()  # the clone is elsewhere
    here = install.replace("/path/to/clone", str(ROOT))
    assert here != install
    runner.run({"steps": [{"run": here}, {"run": "pytest --insync-cluster local"}]})
