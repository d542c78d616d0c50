"""What is refused before a JVM starts, on made-up builds and test jars."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from insync import artifacts
from insync.cli.app import invoke
from insync.errors import InputError
from insync.kafka_tests import request
from insync.kafka_tests.request import BASELINE, TestsRequest, prepare
from insync.kafka_tests.run import KafkaTests
from unit.kafka.test_builds import build, jar

TEST = {"kafka/server/DelayedFetchTest.class": ""}


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestsRequest:
    """Return a request for two made-up builds; the jars that our build makes are made up, too."""
    for name in ("AGENT_JAR", "KAFKA_TESTS_JAR", "LAB_JAR"):
        (tmp_path / name).write_text(name)
        monkeypatch.setattr(request, name, tmp_path / name)
    table = Path(__file__).parents[3] / "gradle" / "broker-versions.properties"
    monkeypatch.setattr("insync.run.version_support.VERSIONS_TABLE", table)
    jar(tmp_path / "tests" / "kafka_2.13-4.3.1-test.jar", TEST)
    changed = build(tmp_path / "changed")
    jar(changed / "00-patch.jar", {"a": ""})
    return TestsRequest(
        kafka=str(changed), baseline=str(build(tmp_path / "released")),
        test_jars=tmp_path / "tests",
    )  # fmt: skip


def refused(asked: TestsRequest, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        prepare(asked, print)


def test_a_build_is_compared_with_its_baseline_on_every_arm(asked: TestsRequest) -> None:
    plan = prepare(asked, print)
    assert [side.name for side in plan.sides] == [
        BASELINE, "absent", "off", "read", "request", "step-down", "log-start",
    ]  # fmt: skip
    assert [each.simple for each in plan.classes] == ["DelayedFetchTest"]
    names = [[file.name for file in side.jars] for side in plan.sides]
    assert "00-patch.jar" not in names[0]
    assert names[1][0] == "00-patch.jar"
    # The broker's own jars come before those of its tests.
    assert names[1][-2:] == ["kafka_2.13-4.3.1-test.jar", "KAFKA_TESTS_JAR"]


def test_without_an_agent_a_build_is_not_compared_with_itself(asked: TestsRequest) -> None:
    itself = replace(asked, kafka=str(asked.baseline), arms=("absent", "request"))
    assert [side.name for side in prepare(itself, print).sides] == [BASELINE, "request"]


def test_what_the_candidate_cannot_have_is_refused(asked: TestsRequest, tmp_path: Path) -> None:
    refused(replace(asked, arms=("reads",)), "--arms reads: Kafka 4.3.1 has only absent, off, read")
    old = replace(asked, kafka=str(build(tmp_path / "old", "2.8.2")), arms=("request",))
    refused(old, "--arms request: Kafka 2.8.2 has only absent, off, read")
    refused(replace(asked, test_jars=tmp_path / "none"), "no jars in it")
    unknown = replace(asked, kafka=str(build(tmp_path / "new", "4.9.0")), baseline=None)
    refused(unknown, "--baseline: Kafka 4.9.0 is none of")


def test_a_version_without_published_test_jars_is_unknown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert invoke(["kafka-tests", "--kafka", "4.4.0", "--out", str(tmp_path / "out")]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("insync: unknown: test jars: none known for Kafka 4.4.0")
    assert not (tmp_path / "out").exists()


def test_only_the_same_builds_are_resumed(asked: TestsRequest, tmp_path: Path) -> None:
    first = KafkaTests(prepare(asked, print)).asked()
    assert KafkaTests(prepare(replace(asked, at_once=2), print)).asked() == first
    jar(tmp_path / "tests" / "more-test.jar", {})
    other = KafkaTests(prepare(asked, print)).asked()
    assert {name for name in first if first[name] != other[name]} == {"tests, SHA-256"}


def test_the_jar_that_runs_the_tests_must_be_built(
    asked: TestsRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(request, "KAFKA_TESTS_JAR", tmp_path / artifacts.KAFKA_TESTS_JAR.name)
    refused(asked, "insync-kafka-tests.jar: not built")
