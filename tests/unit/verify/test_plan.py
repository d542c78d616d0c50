"""Bad input ends with one line before anything starts; what makes a verification another one."""

from pathlib import Path
from typing import Any

import pytest

from commands import invoke_refused
from insync.brokers.kafka.builds import _REPLICATION
from insync.errors import InputError
from insync.fuzz.draw import GENERATOR
from insync.verify.campaign import LEVELS, Verify, prepare_verify
from insync.verify.request import VerifyRequest
from unit.kafka.made_up_builds import build, jar

FEATURE = "follower.fetch.pending.reads.insync.enable"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSYNC_CACHE", str(tmp_path / "cache"))


def plan(**asked: Any) -> Verify:
    return prepare_verify(VerifyRequest(**{"seeds": "1-2", **asked}))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--kafka", "0.1"], "kafka: unknown version '0.1'"),
        (["--kafka", "/none"], "kafka: /none: "),
        (["--arm", "stock"], "--arm stock: expected one with the agent: off, read, request"),
        (["--no-agent", "--arm", "request"], "--arm request: expected one without the agent"),
        (["--no-agent", "--arm", "patched"], "arms: patched: Kafka 4.3.1 has only"),
        (["--config", "x"], "--config 'x': expected KEY=VALUE"),
        (["--config", f"{FEATURE}=false"], "arm request has true, expected another --arm"),
        (["--baseline", "0.1"], "--baseline: unknown version '0.1'"),
        (
            ["--level", "weave,fault"],
            "--level fault: expected one of all, weave, tests, faults, cost",
        ),
        (["--only", "nothing"], "--only nothing: expected one of"),
        (["--seeds", "5-1"], "--seeds 5-1: expected A-B"),
        (["--repeats", "0"], "--repeats 0: expected 1 to 100"),
        (["--criteria", "/none.toml"], "--criteria /none.toml: No such file"),
        (["--resume"], "--resume: expected --out DIR"),
        (["--resume", "--out", "/usr"], "no campaign.json in it"),
    ],
)
def test_bad_input_is_one_line(
    options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in invoke_refused(capsys, "verify", *options)


def test_the_baseline_is_the_same_build_without_the_agent(tmp_path: Path) -> None:
    libs = build(tmp_path / "libs")
    found = plan(kafka=str(libs))
    assert found.what.candidate.agent
    assert found.what.candidate.claims == found.what.candidate.arm == "request"
    assert found.what.baseline.agent is None
    assert found.what.baseline.release.name == found.what.candidate.release.name
    assert found.what.baseline.jars == found.what.candidate.jars


def test_of_a_build_without_the_agent_it_is_the_published_version(tmp_path: Path) -> None:
    found = plan(kafka=str(build(tmp_path / "libs")), agent=False)
    assert (found.what.baseline.release.name, found.what.candidate.arm) == ("4.3.1", "stock")
    assert found.what.candidate.claims is None
    with pytest.raises(InputError, match=r"--baseline: unknown version '4\.0\.1-ccs', "):
        plan(kafka=str(build(tmp_path / "ccs", "4.0.1-ccs")), agent=False)


@pytest.mark.parametrize(
    ("arm", "agent", "expected_as"),
    [
        (None, False, None),
        ("stock", False, "stock"),
        ("elr-off", False, "elr-off"),
        ("off", True, "off"),
        (None, True, "request"),
    ],
)
def test_a_build_is_expected_to_behave_as_the_arm_that_it_is_said_to_be(
    arm: str | None, expected_as: str | None, *, agent: bool
) -> None:
    found = plan(arm=arm, agent=agent).what.candidate
    assert (found.claims, bool(found.agent)) == (expected_as, agent)
    assert found.arm == (expected_as or "stock")


def test_a_build_that_defines_the_configs_may_be_the_arm_patched(tmp_path: Path) -> None:
    libs = build(tmp_path / "libs")
    jar(libs / "00-patch.jar", {_REPLICATION: FEATURE})
    found = plan(kafka=str(libs), agent=False, arm="patched").what.candidate
    assert (found.arm, found.claims, found.agent) == ("patched", "patched", None)


def asked(tmp_path: Path, **changed: Any) -> dict[str, Any]:
    """Return in what a verification must be the same to be resumed."""
    libs = tmp_path / "libs"
    known = {"kafka": str(libs if libs.exists() else build(libs)), "agent": False}
    return {**plan(**{**known, "settings": {"num.io.threads": "2"}, **changed}).asked()}


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"settings": {}}, "candidate's broker configs"),
        ({"agent": True}, "candidate's agent, SHA-256"),
        ({"arm": "stock"}, "candidate's expected as"),
        ({"baseline": "4.4.0"}, "baseline's Kafka"),
        ({"repeats": 2}, "repeats"),
        ({"seeds": "1-3"}, "seeds"),
        ({"only": ("freeze",)}, "scenarios"),
        ({"levels": ("weave",)}, "levels"),
        ({"unknown_methods": True}, "permission for unknown methods"),
    ],
)
def test_another_build_or_option_is_another_verification(
    tmp_path: Path, changed: dict[str, Any], key: str
) -> None:
    same = asked(tmp_path)
    assert asked(tmp_path) == same
    assert same["generator of seeds"] == GENERATOR
    assert asked(tmp_path, **changed)[key] != same[key]


def test_other_jars_of_the_version_or_criteria_are_another_verification(tmp_path: Path) -> None:
    other, file = build(tmp_path / "other"), tmp_path / "my.toml"
    jar(other / "00-patch.jar", {"kafka/cluster/Partition.class": "changed"})
    file.write_text("schema = 1\n")
    same, jars, criteria = asked(tmp_path), "candidate's jars, SHA-256", "criteria (SHA-256)"
    assert asked(tmp_path, kafka=str(other))[jars] != same[jars]
    assert asked(tmp_path, criteria=file)[criteria] != same[criteria]


def test_the_contracts_list_every_level() -> None:
    page = Path(__file__).parents[3] / "docs" / "contracts.md"
    listed = page.read_text().split("Levels: ")[1].partition(". ")[0]
    assert listed == ", ".join(f"`{name}`" for name in LEVELS)
