"""Bad input ends with one line before anything starts; what makes a fuzz another one."""

from pathlib import Path
from typing import Any

import pytest

from commands import invoke_refused
from insync.artifacts import AGENT_JAR, sha256_of
from insync.fuzz import campaign
from insync.fuzz.campaign import Fuzz
from insync.fuzz.draw import GENERATOR
from insync.fuzz.request import FuzzRequest, seeds_of
from unit.kafka.made_up_builds import build, jar


def test_a_range_of_seeds() -> None:
    assert list(seeds_of("3-6")) == [3, 4, 5, 6]
    assert list(seeds_of("7")) == [7]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--seeds", "5-1"], "--seeds 5-1: expected A-B with A at most B"),
        (["--seeds", "five"], "--seeds 'five': expected A-B"),
        (["--seeds", "1-99999999999"], "--seeds '1-99999999999': expected A-B"),
        (["--seeds", "1-2000000000"], "and B at most 1000000000"),
        (["--seeds", "1-2", "--minutes", "0"], "--minutes 0: expected more than 0"),
        (["--seeds", "1-2", "--shard", "3/2"], "--shard '3/2': expected I/N"),
        (["--seeds", "1-2", "--arms", "stock,stock"], "each only once"),
        (["--seeds", "1-2", "--arms", "nothing"], "arms: nothing"),
        (["--seeds", "1-2", "--kafka", "0.1"], "0.1"),
        (["--seeds", "1-2", "--shape", "round"], "Invalid value for '--shape'"),
        (["--seeds", "1-2", "--side-by-side", "0"], "--side-by-side 0: expected at least 1"),
        (["--seeds", "1-2", "--broker-config", "=x"], "--broker-config '=x': expected KEY=VALUE"),
        (["--seeds", "1-2", "--resume"], "--resume: expected --out DIR"),
    ],
)
def test_bad_input_is_one_line(
    options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in invoke_refused(capsys, "fuzz", *options)


def asked(**changed: Any) -> dict[str, Any]:
    """Return in what a fuzz must be the same to be resumed."""
    return {**Fuzz(FuzzRequest(**{"seeds": "1-2", **changed})).asked()}


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"arms": ("stock",)}, "arms"),
        ({"kafka": "3.9.2"}, "Kafka"),
        ({"shape": "late-write"}, "shape"),
        ({"settings": {"a": "b"}}, "broker configs"),
    ],
)
def test_a_fuzz_of_something_else_is_another_one(changed: dict[str, Any], key: str) -> None:
    same = asked()
    assert asked(seeds="1-9") == same, "more seeds may follow"
    assert asked(**changed)[key] != same[key]


def test_its_agent_generator_and_kinds_are_those_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    same = asked()
    assert same["build of the agent (SHA-256)"] == sha256_of(AGENT_JAR)
    assert same["generator of seeds"] == GENERATOR
    monkeypatch.setattr(campaign, "why_not", lambda kind, *_: kind != "kill" or None)
    assert asked()["kinds of faults"] == ["kill"] != same["kinds of faults"]


def test_an_own_build_is_named_by_its_jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSYNC_CACHE", str(tmp_path / "cache"))
    jar(tmp_path / "other" / "00-patch.jar", {"kafka/cluster/Partition.class": "changed"})
    names = [asked(kafka=str(build(tmp_path / name)))["Kafka"] for name in ("libs", "other")]
    assert all(name.startswith("4.3.1+") for name in names)
    assert names[0] != names[1]
