"""Levels run one after the other, whatever becomes of one, and are told on a page."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from insync.engine.campaign import CampaignOfOne, Options, campaign_folder, run_campaign
from insync.errors import InputError, InsyncError
from insync.outcome import Outcome
from insync.progress import Progress
from insync.result import Result
from insync.verify.level import Level
from unit.verify.verifications import campaign

PASSED = Result(of="read-stall", expected="isr_shrinks exactly 0", outcome=Outcome.PASS)


class MadeUp(Level, CampaignOfOne):
    def __init__(self, *_: Any) -> None:
        self.of = self.name

    def check(self, *_: Any) -> Result:
        self.began.append(self.name)
        return type(self).run_it()


def level(name: str, run: Callable[[], Result], began: list[str]) -> type[Level]:
    own = {
        "name": name, "run_it": staticmethod(run), "began": began, "says": f"looks at {name}",
        "part": "check",
    }  # fmt: skip
    return type(name, (MadeUp,), own)


def finds(name: str, *checks: Result) -> Callable[[], Result]:
    return lambda: Result(of=name, children=checks)


def fails(error: BaseException) -> Callable[[], Result]:
    def run() -> Result:
        raise error

    return run


def verified(out: Path, *levels: type[Level]) -> Result:
    made, options = campaign(*levels), Options(out=out)
    return run_campaign(made, options, Progress(), campaign_folder(made, options))


def test_a_level_that_cannot_run_is_unknown_and_the_others_run(tmp_path: Path) -> None:
    began: list[str] = []
    found = verified(
        tmp_path / "out",
        level("one", fails(InsyncError("kafka: broker 1 ended:\nConfigException")), began),
        level("two", finds("two", PASSED), began),
        level("three", fails(InputError("arms: request: Kafka 2.0.0 has only stock")), began),
        level("four", fails(OSError("disk full")), began),
    )
    assert began == ["one", "two", "three", "four"]
    assert [each.outcome for each in found.children] == ["unknown", "pass", "unknown", "unknown"]
    assert found.children[0].reason == "could not run: kafka: broker 1 ended: ConfigException"
    assert (found.outcome, found.reason.partition(":")[0]) == ("unknown", "one")
    written = json.loads((tmp_path / "out" / "verdict.json").read_text())
    assert (written["schema"], written["verdict"]) == (1, "unknown")
    for name in ("report.html", "junit.xml", "campaign.json", "criteria.toml"):
        assert (tmp_path / "out" / name).is_file()


def test_the_page_says_if_no_broker_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (level(name, finds(name, PASSED), []) for name in ("one", "two"))
    monkeypatch.setattr("insync.verify.campaign.WeaveLevel", one)
    assert verified(tmp_path / "weave", one).of.endswith("; no broker ran")
    page = (tmp_path / "weave" / "report.html").read_text()
    assert "; no broker ran: 1 check, none failed" in page
    assert not verified(tmp_path / "both", one, two).of.endswith("; no broker ran")


def test_an_error_while_an_interrupt_is_handled_is_no_result(tmp_path: Path) -> None:
    def run() -> Result:
        try:
            raise KeyboardInterrupt("SIGTERM")
        finally:
            raise InsyncError("did not stop in 60 s") from None

    began: list[str] = []
    two = level("two", finds("two", PASSED), began)
    with pytest.raises(InsyncError, match="did not stop"):
        verified(tmp_path / "out", level("one", run, began), two)
    assert began == ["one"]
    before = Result.read(tmp_path / "out" / "verdict.json", "a verification")
    assert [each.of for each in before.children] == ["not run yet"]


def test_a_page_says_what_was_judged(tmp_path: Path) -> None:
    found = verified(tmp_path / "out", level("one", finds("one", PASSED), []))
    assert found.of == "Kafka 4.3.1 with the agent, arm request, num.io.threads=2"
    assert found.facts["candidate from"] == "/builds/<mine>|libs"
    assert found.facts["baseline's agent, SHA-256"] == "none"
    page = (tmp_path / "out" / "report.html").read_text()
    assert "/builds/&lt;mine&gt;|libs" in page
