"""The source patches of Kafka, built: their own unit tests, and what reviewers read."""

import shutil
import subprocess
from pathlib import Path

import pytest

from commands import insync_json
from patch_kafka import own_tests, parts, tree
from patched_kafka import patched_libs

TOUCHED = (
    "PartitionTest", "ReplicaManagerTest", "KafkaConfigTest", "DynamicBrokerConfigTest",
    "ReplicaFetcherThreadTest", "ReplicaAlterLogDirsThreadTest",
)  # fmt: skip
"""Kafka's tests of the classes that the patches change most."""
WITHIN_S = 1_500.0


@pytest.mark.long
def test_the_unit_tests_of_the_patches_pass() -> None:
    patched_libs()
    assert own_tests.run() == 0


@pytest.mark.long
def test_kafkas_own_tests_end_as_without_the_patches(tmp_path: Path) -> None:
    chosen = ("--kafka", patched_libs(), "--arms", "absent", "--only", ",".join(TOUCHED))
    found = insync_json("kafka-tests", *chosen, "--out", tmp_path / "out", within_s=WITHIN_S)
    assert found["verdict"] == "pass"
    (arm,) = (each for each in found["children"] if each["of"] == "absent")
    assert {each["of"] for each in arm["children"]} >= set(TOUCHED)


@pytest.mark.long
def test_the_patches_for_reviewers_apply_to_kafkas_sources_in_turn(tmp_path: Path) -> None:
    patched_libs()
    kafka = tmp_path / "kafka"
    shutil.copytree(tree.TREE, kafka)
    patches = [("apply", str(parts.BUILD / f"{patch}.patch")) for patch in parts.PATCHES]
    for command in (("checkout", "-qf", f"HEAD~{len(parts.PATCHES)}"), *patches):
        subprocess.run(["git", *command], cwd=kafka, check=True)
