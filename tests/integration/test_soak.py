"""`insync soak` on real brokers: every disturbance leaves evidence; it ends with nothing left."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json, start_insync
from insync.events.soak_info import SAMPLES, read_samples
from processes import end
from waiting import wait_for


def outcomes(found: dict[str, Any], of: str) -> set[str]:
    (part,) = [each for each in found["children"] if each["of"] == of]
    return {each["outcome"] for each in part["children"]}


@pytest.mark.long
@pytest.mark.parametrize("arm", ["stock", "read", "step-down"])
def test_a_short_soak_disturbs_with_evidence_and_judges_no_growth(tmp_path: Path, arm: str) -> None:
    out = tmp_path / "soak"
    asked = ("soak", "--minutes", "1", "--arm", arm, "--out", out)
    info = insync_json(*asked, codes=(3,))
    assert info == json.loads((out / "verdict.json").read_text())
    assert info["verdict"] == "unknown"
    for part in ("the agent and the end", "disturbances"):
        assert outcomes(info, part) == {"pass"}, info["children"]
    assert outcomes(info, "growth") == {"unknown"}
    assert int(info["facts"]["fetches of followers"].split(", ")[0].replace(",", "")) > 10_000
    samples = list(read_samples(out))
    assert {each.broker for each in samples} == {1, 2, 3}
    assert all((each.pending is None) == (arm == "stock") for each in samples)
    assert "<polyline" in (out / "report.html").read_text()
    assert not list(out.glob("cluster/**/*.log.deleted")) + list(out.glob("cluster/*/data/*"))


@pytest.mark.long
def test_an_interrupted_soak_leaves_no_process_and_keeps_its_samples(tmp_path: Path) -> None:
    out = tmp_path / "soak"
    with start_insync("soak", "--minutes", "60", "--out", out) as run:
        wait_for(lambda: (out / SAMPLES).read_text().count("\n"), lambda n: n >= 6, within_s=120)
        # A controller, three brokers, and the observer.
        assert not end(run, signal.SIGINT, least=5)
    assert run.returncode == 3
    assert len(list(read_samples(out))) >= 6
    assert json.loads((out / "verdict.json").read_text())["verdict"] == "unknown"
