"""Bad input ends with one line before anything starts; a fuzz is resumed only by the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import invoke_refused
from insync.engine.campaign import Options, campaign_folder
from insync.errors import InputError
from insync.events.schema import CAMPAIGN
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
        (["--seeds", "1-2000000000"], "expected seeds up to"),
        (["--seeds", "1-2", "--minutes", "0"], "--minutes 0: expected more than 0"),
        (["--seeds", "1-2", "--shard", "3/2"], "--shard '3/2': expected I/N"),
        (["--seeds", "1-2", "--arms", "stock,stock"], "each only once"),
        (["--seeds", "1-2", "--arms", "nothing"], "arms: nothing"),
        (["--seeds", "1-2", "--kafka", "0.1"], "0.1"),
        (["--seeds", "1-2", "--shape", "round"], "--shape round: expected one of any"),
        (["--seeds", "1-2", "--side-by-side", "0"], "--side-by-side 0: expected at least 1"),
        (["--seeds", "1-2", "--broker-config", "=x"], "--broker-config '=x': expected KEY=VALUE"),
        (["--seeds", "1-2", "--resume"], "--resume: expected --out DIR"),
    ],
)
def test_bad_input_is_one_line(
    options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in invoke_refused(capsys, "fuzz", *options)


def begun(folder: Path, **changed: Any) -> Path:
    asked = {**Fuzz(FuzzRequest(seeds="1-2")).asked(), "shard": None, **changed}
    folder.mkdir()
    (folder / CAMPAIGN).write_text(json.dumps({"schema": 1, "campaign": "fuzz", "asked": asked}))
    return folder


def test_the_same_fuzz_is_resumed_with_more_seeds(tmp_path: Path) -> None:
    folder = begun(tmp_path / "fuzz")
    again = Fuzz(FuzzRequest(seeds="1-9"))
    assert campaign_folder(again, Options(out=folder, resume=True)) == folder


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"build of the agent (SHA-256)": "0" * 64}, "build of the agent"),
        ({"arms": ["stock"]}, "its arms: stock, now stock, request, step-down"),
        ({"Kafka": "3.9.2"}, "its Kafka: 3.9.2, now 4.3.1"),
        ({"kinds of faults": ["kill"]}, "its kinds of faults: kill, now"),
        ({"shape": "late-write"}, "its shape: late-write, now any"),
        ({"broker configs": {"a": "b"}}, "its broker configs: a=b, now none"),
        (
            {"generator of seeds": GENERATOR + 1},
            f"its generator of seeds: {GENERATOR + 1}, now {GENERATOR}",
        ),
    ],
)
def test_another_fuzz_is_not_resumed(
    tmp_path: Path, changed: dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun(tmp_path / "fuzz", **changed)
    before = (folder / CAMPAIGN).read_bytes()
    again = ("fuzz", "--seeds", "1-2", "--out", str(folder), "--resume")
    assert words in invoke_refused(capsys, *again)
    assert (folder / CAMPAIGN).read_bytes() == before
    assert [each.name for each in folder.iterdir()] == [CAMPAIGN]


def test_an_own_build_is_named_by_its_jars_and_another_one_is_not_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSYNC_CACHE", str(tmp_path / "cache"))
    libs = str(build(tmp_path / "libs"))
    own = Fuzz(FuzzRequest(seeds="1-2", kafka=libs)).asked()
    assert own["Kafka"].startswith("4.3.1+")
    out = begun(tmp_path / "out", **own)
    options = Options(out=out, resume=True)
    assert campaign_folder(Fuzz(FuzzRequest(seeds="1-2", kafka=libs)), options) == out
    jar(tmp_path / "other" / "00-patch.jar", {"kafka/cluster/Partition.class": "changed"})
    other = str(build(tmp_path / "other"))
    with pytest.raises(InputError, match=r"its Kafka: 4\.3\.1\+\w+, now 4\.3\.1\+\w+"):
        campaign_folder(Fuzz(FuzzRequest(seeds="1-2", kafka=other)), options)
