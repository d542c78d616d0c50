"""The source patch of Kafka, built: its own unit tests, and the patch that reviewers read."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from commands import insync_json
from patch_kafka import own_tests, parts, tree
from patched_kafka import patched_libs

TOUCHED = ("PartitionTest", "ReplicaManagerTest", "KafkaConfigTest", "DynamicBrokerConfigTest")
"""Kafka's tests of the classes that the patch changes most."""
WITHIN_S = 1_500.0


@pytest.mark.long
def test_the_unit_tests_of_the_patch_pass() -> None:
    patched_libs()
    assert own_tests.run() == 0


@pytest.mark.long
def test_kafkas_own_tests_end_as_without_the_patch(tmp_path: Path) -> None:
    chosen = ("--kafka", patched_libs(), "--arms", "absent", "--only", ",".join(TOUCHED))
    found = insync_json("kafka-tests", *chosen, "--out", tmp_path / "out", within_s=WITHIN_S)
    assert found["verdict"] == "pass"
    assert {row["name"].rpartition(".")[2] for row in found["rows"]} >= set(TOUCHED)


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
