"""Levels run one after the other, whatever becomes of one; a resumed verification runs the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from insync.engines import AnalysisOptions
from insync.errors import InputError, InsyncError
from insync.events.verify_info import LevelInfo, load_verify
from insync.progress import Progress
from insync.verify.level import Level, result
from insync.verify.runner import run_verify
from unit.verify.verifications import FAILED, PASSED, SEEN, plan

SPARK = AnalysisOptions()


def level(name: str, run: Callable[[], LevelInfo], began: list[str]) -> Level:
    def noted(*_: Any) -> LevelInfo:
        began.append(name)
        return run()

    return Level(name=name, says=f"looks at {name}", place=1, run=noted)


def fails(error: BaseException) -> Callable[[], LevelInfo]:
    def run() -> LevelInfo:
        raise error

    return run


def test_a_level_that_cannot_run_is_unknown_and_the_others_run(tmp_path: Path) -> None:
    began: list[str] = []
    info = run_verify(
        plan(
            tmp_path / "out",
            level("one", fails(InsyncError("kafka: broker 1 ended:\nConfigException")), began),
            level("two", lambda: result("two", [PASSED]), began),
            level("three", fails(InputError("arms: request: Kafka 2.0.0 has only stock")), began),
            level("four", fails(OSError("disk full")), began),
        ),
        SPARK,
        Progress(),
    )
    assert began == ["one", "two", "three", "four"]
    assert [each.outcome for each in info.levels] == ["unknown", "pass", "unknown", "unknown"]
    assert info.levels[0].reason == "could not run: kafka: broker 1 ended: ConfigException"
    assert (info.verdict, info.reason.partition(":")[0]) == ("unknown", "one")
    written = json.loads((tmp_path / "out" / "verdict.json").read_text())
    assert (written["schema"], written["verdict"]) == (1, "unknown")
    for name in ("report.html", "junit.xml", "summary.md", "verify-plan.json", "criteria.toml"):
        assert (tmp_path / "out" / name).is_file()


def test_an_interrupt_keeps_what_is_done_and_resume_runs_the_rest(tmp_path: Path) -> None:
    began: list[str] = []
    one = level("one", lambda: result("one", [PASSED]), began)
    two = level("two", fails(InsyncError("no broker")), began)
    three = level("three", fails(KeyboardInterrupt("SIGINT")), began)
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run_verify(plan(out, one, two, three), SPARK, Progress())
    before = load_verify(out)
    assert before
    assert (before.verdict, before.missing) == ("unknown", ["three"])
    assert before.reason == "cut short: no result of three"
    began.clear()
    three = level("three", lambda: result("three", [SEEN]), began)
    two = level("two", lambda: result("two", [PASSED]), began)
    info = run_verify(plan(out, one, two, three, before=before), SPARK, Progress())
    assert began == ["two", "three"], "a level that was unknown runs again"
    assert [each.level for each in info.levels] == ["one", "two", "three"]
    assert (info.verdict, info.reason) == ("pass", "2 checks passed in one, two, three")


def test_an_error_while_an_interrupt_is_handled_is_no_result(tmp_path: Path) -> None:
    def run() -> LevelInfo:
        try:
            raise KeyboardInterrupt("SIGTERM")
        finally:
            raise InsyncError("did not stop in 60 s") from None

    began: list[str] = []
    two = level("two", lambda: result("two", [PASSED]), began)
    with pytest.raises(InsyncError, match="did not stop"):
        run_verify(plan(tmp_path / "out", level("one", run, began), two), SPARK, Progress())
    assert began == ["one"]
    assert load_verify(tmp_path / "out") is None


def test_the_reason_names_what_went_wrong() -> None:
    found = result("faults", [PASSED, FAILED, FAILED], notes=["candidate: broker 1 ended"])
    assert found.reason == (
        "candidate: broker 1 ended; send-stall: expected isr_shrinks == 0, found 3 (1 more)"
    )
    assert result("faults", [PASSED, SEEN]).reason == "1 checks passed"
