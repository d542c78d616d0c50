"""Bad input ends with one line before anything starts; a fuzz is resumed only by the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from insync.cli.app import invoke
from insync.errors import InputError
from insync.events.fuzz_info import ArmResult, FuzzInfo, SeedResult, load_fuzz, save_fuzz
from insync.fuzz.draw import GENERATOR
from insync.fuzz.plan import prepare_fuzz
from insync.fuzz.request import FuzzRequest, seeds_of
from unit.kafka.made_up_builds import build, jar


def seeds(text: str, shard: str | None = None) -> list[int]:
    return seeds_of(FuzzRequest(seeds=text, shard=shard))


def test_seeds_and_shards() -> None:
    assert seeds("3-6") == [3, 4, 5, 6]
    assert seeds("7") == [7]
    shards = [seeds("1-10", f"{number}/3") for number in (1, 2, 3)]
    assert sorted(each for shard in shards for each in shard) == list(range(1, 11))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--seeds", "5-1"], "--seeds 5-1: expected A-B with A at most B"),
        (["--seeds", "five"], "--seeds 'five': expected A-B"),
        (["--seeds", "1-99999999999"], "--seeds '1-99999999999': expected A-B"),
        (["--seeds", "1-2000000000"], "expected seeds up to"),
        (["--seeds", "1-2", "--minutes", "0"], "--minutes 0: expected more than 0"),
        (["--seeds", "1-2", "--minutes", "nan"], "--minutes nan: expected more than 0"),
        (["--seeds", "1-2", "--shard", "3/2"], "--shard '3/2': expected I/N"),
        (["--seeds", "1-2", "--shard", "0/2"], "--shard '0/2': expected I/N"),
        (["--seeds", "1-2", "--shard", "3/3"], "--shard 3/3: has none of the seeds 1-2"),
        (["--seeds", "1-2", "--arms", "stock,stock"], "each only once"),
        (["--seeds", "1-2", "--arms", "nothing"], "arms: nothing"),
        (["--seeds", "1-2", "--kafka", "0.1"], "0.1"),
        (["--seeds", "1-2", "--shape", "round"], "--shape 'round': expected one of: any"),
        (["--seeds", "1-2", "--side-by-side", "0"], "--side-by-side 0: expected 1 to"),
        (["--seeds", "1-2", "--broker-config", "=x"], "--broker-config '=x': expected KEY=VALUE"),
        (["--seeds", "1-2", "--resume"], "--resume: expected --out DIR"),
    ],
)
def test_bad_input_is_one_line(
    options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["fuzz", *options]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert expected in lines[0]


def test_there_must_be_a_fuzz_to_resume(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no fuzz\.json in it"):
        prepare_fuzz(FuzzRequest(seeds="1-2", out=tmp_path, resume=True))


def test_a_new_fuzz_needs_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="not empty"):
        prepare_fuzz(FuzzRequest(seeds="1-2", out=tmp_path))


def recorded(folder: Path, **changed: Any) -> Path:
    """Record that seed 1 passed, by a fuzz that was asked for other things than usual."""
    plan = prepare_fuzz(FuzzRequest(seeds="1-2", out=folder))
    seed = SeedResult(
        seed=1, scenario="seed-1", faults=(), workload="", arms={"stock": ArmResult(outcome="pass")}
    )
    info = plan.before.model_copy(
        update={"asked": plan.asked.model_copy(update=changed), "seeds": (seed,)}
    )
    folder.mkdir()
    save_fuzz(folder, info)
    return folder


def test_the_same_fuzz_is_resumed_with_more_seeds(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "fuzz")
    plan = prepare_fuzz(FuzzRequest(seeds="1-9", out=folder, resume=True))
    assert [each.seed for each in plan.before.seeds] == [1]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"agent": "0" * 64}, "build of the agent"),
        ({"arms": ("stock",)}, "its arms: stock, now stock, request, step-down"),
        ({"kafka": "3.9.2"}, "its Kafka: 3.9.2, now 4.3.1"),
        ({"kinds": ("kill",)}, "its kinds of faults: kill, now"),
        ({"shape": "late-write"}, "its shape: late-write, now any"),
        ({"settings": {"a": "b"}}, "its broker configs: a=b, now none"),
        ({"generator": GENERATOR + 1}, f"its generator of seeds: {GENERATOR + 1}, now {GENERATOR}"),
    ],
)
def test_another_fuzz_is_not_resumed(
    tmp_path: Path, changed: dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = recorded(tmp_path / "fuzz", **changed)
    before = (folder / "fuzz.json").read_bytes()
    assert invoke(["fuzz", "--seeds", "1-2", "--out", str(folder), "--resume"]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert words in lines[0]
    assert (folder / "fuzz.json").read_bytes() == before


def test_a_fuzz_from_before_generators_had_versions_is_of_an_older_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = recorded(tmp_path / "fuzz")
    written = json.loads((folder / "fuzz.json").read_text())
    assert written["asked"].pop("generator") == GENERATOR
    (folder / "fuzz.json").write_text(json.dumps(written))
    assert load_fuzz(folder).asked.generator == 0
    assert invoke(["fuzz", "--seeds", "1-2", "--out", str(folder), "--resume"]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert f"its generator of seeds: 0, now {GENERATOR}; expected the same" in lines[0]


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "fuzz")
    info = load_fuzz(folder)
    assert save_fuzz(folder, info)
    assert load_fuzz(folder) == info
    assert json.loads((folder / "fuzz.json").read_text())["verdict"] == "unknown"
    assert isinstance(info, FuzzInfo)


def test_an_own_build_is_named_by_its_jars_and_another_one_is_not_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSYNC_CACHE", str(tmp_path / "cache"))
    libs = str(build(tmp_path / "libs"))
    out = tmp_path / "out"
    plan = prepare_fuzz(FuzzRequest(seeds="1-2", out=out, kafka=libs))
    assert plan.asked.kafka.startswith("4.3.1+")
    out.mkdir()
    save_fuzz(out, plan.before)
    again = FuzzRequest(seeds="1-2", out=out, kafka=libs, resume=True)
    assert prepare_fuzz(again).asked == plan.asked
    jar(tmp_path / "other" / "00-patch.jar", {"kafka/cluster/Partition.class": "changed"})
    other = str(build(tmp_path / "other"))
    with pytest.raises(InputError, match=r"its Kafka: 4\.3\.1\+\w+, now 4\.3\.1\+\w+"):
        prepare_fuzz(replace(again, kafka=other))
