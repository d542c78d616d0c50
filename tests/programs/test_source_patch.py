"""The source patch of Kafka, built: its own unit tests, and the patch that reviewers read."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from patch_kafka import own_tests, parts, tree
from patched_kafka import patched_libs


@pytest.mark.long
def test_the_unit_tests_of_the_patch_pass() -> None:
    patched_libs()
    assert own_tests.run() == 0


@pytest.mark.long
def test_the_patch_for_reviewers_applies_to_kafkas_sources(tmp_path: Path) -> None:
    patched_libs()
    kafka = tmp_path / "kafka"
    shutil.copytree(tree.TREE, kafka)
    for command in (
        ("checkout", "-qf", "HEAD"),
        ("apply", "--check", str(parts.BUILD / f"kafka-{parts.kafka_version()}.patch")),
    ):
        subprocess.run(["git", *command], cwd=kafka, check=True)
