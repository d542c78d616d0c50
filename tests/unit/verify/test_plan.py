"""Bad input ends with one line before anything starts; only the same builds are continued."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import invoke_refused
from insync.engine.campaign import Options, campaign_folder
from insync.errors import InputError
from insync.events.schema import CAMPAIGN
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
        (
            ["--no-agent", "--arm", "request"],
            "--arm request: expected one without the agent: stock, ",
        ),
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
        (["--scale", "nan"], "--scale nan: expected more than 0"),
        (["--scale", "0.0001"], "scale 0.0001: "),
        (["--criteria", "/none.toml"], "--criteria /none.toml: No such file"),
        (["--resume"], "--resume: expected --out DIR"),
        (["--resume", "--out", "/usr"], "no campaign.json in it"),
    ],
)
def test_bad_input_is_one_line(
    options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in invoke_refused(capsys, "verify", *options)


def test_a_folder_without_kafka_and_mixed_versions_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    mixed = build(tmp_path / "mixed")
    jar(mixed / "kafka-server-4.3.0.jar", {})
    for folder, expected in (("empty", "has no jars"), ("mixed", "mixed versions")):
        line = invoke_refused(capsys, "verify", "--kafka", str(tmp_path / folder))
        assert line.startswith("insync: kafka: ")
        assert expected in line


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


def of_resumed(tmp_path: Path) -> dict[str, Any]:
    return {"kafka": str(tmp_path / "libs"), "agent": False, "settings": {"num.io.threads": "2"}}


def resumed(tmp_path: Path, **changed: Any) -> Path:
    """Ask for a verification, and then to continue it with something changed."""
    out = tmp_path / "out"
    build(tmp_path / "libs")
    asked = of_resumed(tmp_path)
    out.mkdir(exist_ok=True)
    known = {"campaign": "verify", "asked": {**plan(**asked).asked(), "shard": None}}
    (out / CAMPAIGN).write_text(json.dumps(known))
    return campaign_folder(plan(**{**asked, **changed}), Options(out=out, resume=True))


def test_the_same_builds_and_options_are_continued(tmp_path: Path) -> None:
    assert resumed(tmp_path) == tmp_path / "out"


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"settings": {}}, "candidate's broker configs: num.io.threads=2, now none"),
        ({"agent": True, "settings": {}}, "candidate's agent"),
        ({"arm": "stock"}, "candidate's expected as: nothing is expected of it, now stock"),
        ({"baseline": "4.4.0"}, "baseline's Kafka: 4.3.1, now 4.4.0"),
        ({"repeats": 2}, "its repeats: 1, now 2"),
        ({"seeds": "1-3"}, "its seeds: 1, 2, now 1, 2, 3"),
        ({"only": ("freeze",)}, "its scenarios"),
        ({"levels": ("weave",)}, "its levels"),
        ({"unknown_methods": True}, "its permission for unknown methods: False, now True"),
    ],
)
def test_another_build_or_option_is_refused(
    tmp_path: Path, changed: dict[str, Any], expected: str
) -> None:
    with pytest.raises(InputError, match="expected the same, or a new folder") as refused:
        resumed(tmp_path, **changed)
    assert expected in str(refused.value)


def test_jars_of_the_same_version_with_another_content_are_another_build(tmp_path: Path) -> None:
    other = build(tmp_path / "other")
    jar(other / "00-patch.jar", {"kafka/cluster/Partition.class": "changed"})
    with pytest.raises(InputError, match=r"candidate's Kafka: 4\.3\.1\+\w+, now 4\.3\.1\+\w+"):
        resumed(tmp_path, kafka=str(other))


def test_seeds_of_another_generator_are_refused(tmp_path: Path) -> None:
    out = resumed(tmp_path)
    old = json.loads((out / CAMPAIGN).read_text())
    old["asked"]["generator of seeds"] = GENERATOR - 1
    (out / CAMPAIGN).write_text(json.dumps(old))
    with pytest.raises(InputError, match=f"its generator of seeds: {GENERATOR - 1}, now"):
        campaign_folder(plan(**of_resumed(tmp_path)), Options(out=out, resume=True))


def test_other_criteria_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text("schema = 1\n")
    with pytest.raises(InputError, match=r"its criteria \(SHA-256\)"):
        resumed(tmp_path, criteria=file)


def test_the_contracts_list_every_level() -> None:
    page = Path(__file__).parents[3] / "docs" / "contracts.md"
    listed = page.read_text().split("Levels: ")[1].partition(". ")[0]
    assert listed == ", ".join(f"`{name}`" for name in LEVELS)
