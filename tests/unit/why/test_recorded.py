"""A recorded run is answered from its files, and never from what says which fault it injected."""

import json
import shutil
from pathlib import Path
from typing import get_args

import pytest

from commands import invoke_json, invoke_refused
from event_lines import read_lines
from insync.cli.app import invoke
from insync.why.answer import Cause
from insync.why.sources.recorded import answers
from unit.run_folder import Story, rewrite, write_run
from unit.why.made_up import slow_fetch

PAGE = Path(__file__).parents[3] / "docs" / "test" / "why.md"
TELLS = ("faults.jsonl", "step-downs.jsonl", "counters.jsonl")
"""Files of an arm that say, or depend on, what was injected; none of them may be opened."""


def change_scenario(run: Path, **changed: object) -> None:
    record = json.loads((run / "run.json").read_text())
    record["scenario"] |= changed
    (run / "run.json").write_text(json.dumps(record))


def test_a_real_run_names_its_slow_leader_in_both_arms(recorded: Path) -> None:
    stock, plugin = answers(recorded)
    for answer in (stock, plugin):
        (found,) = answer.findings
        assert (found.broker, found.cause) == (1, "disk")
        assert found.span.ms >= 1_500
        assert [(each.follower, each.rightly) for each in found.blamed] == [(2, False), (3, False)]
    assert not any(each.kept for each in stock.findings[0].blamed)
    assert all(each.kept for each in plugin.findings[0].blamed)
    assert {str(each) for each in stock.findings[0].partitions} == {"kip-501-r0-0", "kip-501-r0-1"}


def test_every_cause_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{cause}`" in text for cause in get_args(Cause))


def test_what_was_injected_is_never_read(recorded: Path, copied: Path) -> None:
    """Whatever tells it is replaced by a folder, which nobody can read as a file, or by a lie."""
    tells = [arm / name for arm in (copied / "events").iterdir() for name in TELLS]
    for file in (*tells, copied / "scenario.toml", copied / "verdict.json"):
        file.unlink(missing_ok=True)
        file.mkdir()
    lie = [{"kind": "freeze", "broker": 3, "at_ms": 0, "for_ms": 9_000}]
    change_scenario(copied, faults=lie, expect={})
    assert answers(copied) == answers(recorded)


def test_the_answer_follows_the_evidence_not_the_record(recorded: Path, copied: Path) -> None:
    """Counterexample: with the same record and other evidence, the answer is another one."""
    events = copied / "events" / "plugin"
    lines = read_lines(events / "broker-1.jsonl")
    rewrite(events / "broker-1.jsonl", [each for each in lines if each["type"] != "pending_long"])
    steady = answers(recorded, "plugin")[0].span.since_ms
    rewrite(events / "broker-2.jsonl", [slow_fetch(steady + 2_000, 3, 1_500)])
    (found,) = answers(copied, "plugin")[0].findings
    assert found.broker == 2


def test_the_command_prints_the_same_as_text_and_as_json(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["why", str(recorded), "--arm", "stock"]) == 0
    text = capsys.readouterr().out
    assert "broker 1: disk, fetch" in text
    assert "stock Kafka removes follower 2 (wrongly): kip-501-r0-0, kip-501-r0-1" in text
    assert "not known: brokers 1, 2, 3: no events of an agent" in text
    (answer,) = invoke_json(capsys, "why", str(recorded), "--arm", "stock")["answers"]
    (found,) = answer["findings"]
    assert (found["broker"], found["cause"], found["site"]) == (1, "disk", "fetch")
    assert [each["follower"] for each in found["blamed"]] == [2, 3]
    assert found["evidence"][0] == {
        "says": "followers that it dropped at one time", "value": 2, "unit": "followers",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "expected a folder, --logs or --bootstrap, one of them"),
        (["{run}", "--bootstrap", "x:1"], "expected a folder, --logs or --bootstrap, one of them"),
        (["{run}", "--arm", "other"], "--arm other: expected one of stock, plugin"),
        (["{run}", "--lag-ms", "5"], "--lag-ms: expected --bootstrap with it"),
        (["{empty}"], "not a run folder"),
        (["--bootstrap", "x:1", "--arm", "stock"], "--arm stock: expected a folder with it"),
        (["--bootstrap", "x:1", "--minutes", "0"], "--minutes 0: expected more than 0"),
        (["--bootstrap", "x:1", "--lag-ms", "-1"], "--lag-ms -1: expected more than 0"),
    ],
)
def test_bad_usage_is_one_line(
    arguments: list[str], said: str, recorded: Path, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    filled = [each.format(run=recorded, empty=tmp_path) for each in arguments]
    assert said in invoke_refused(capsys, "why", *filled)


@pytest.mark.parametrize("kept", [0, 100, -5])
def test_a_controllers_log_that_is_cut_is_no_all_clear(
    kept: int, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = copied / "events" / "stock" / "isr.jsonl"
    file.write_bytes(file.read_bytes()[:kept])
    (answer,) = invoke_json(capsys, "why", str(copied), "--arm", "stock", codes=(3,))["answers"]
    assert str(file) in answer["unread"][0]
    assert invoke(["why", str(copied), "--arm", "stock"]) == 3
    text = capsys.readouterr().out
    if kept < 0:
        assert f"could not be read: {file}: 1 lines that are cut off" in text
    else:
        assert answer["findings"] == []
        assert f"nothing could be read: {file}: no line of the controller" in text
        assert "no slow broker found" not in text


def test_an_arm_without_events_is_named(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(copied / "events" / "plugin")
    assert invoke(["why", str(copied)]) == 3
    text = capsys.readouterr().out
    assert "kip-501, stock, repeat 1: 1 finding" in text
    assert f"kip-501, plugin: nothing could be read: {copied}/events/plugin: no repeat" in text


def test_slow_acks_are_a_finding_although_nobody_was_dropped(tmp_path: Path) -> None:
    """As with an fsync of 2.5 s under the log's lock: the lag is 10 s, and every ack comes late."""
    run = write_run(tmp_path / "run", Story(arms=("plugin",), repeats=1, faults=False))
    change_scenario(run, broker={"replica_lag_time_max_ms": 10_000})
    assert answers(run)[0].findings == ()
    file = run / "events" / "plugin" / "produce-0.jsonl"
    lines = read_lines(file)
    begun = answers(run)[0].span.since_ms
    for line in lines:
        if line["sent_ms"] > begun + 500:
            line["done_ms"] = line["sent_ms"] + 2_500
    rewrite(file, lines)
    (found, *_) = answers(run)[0].findings
    assert (found.cause, found.may_be) == ("undecided", ("disk", "network"))
    means = [each.value for each in found.evidence if "on average" in each.says]
    assert means == [2_500]


def test_a_run_that_never_began_is_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", Story(repeats=1))
    for arm in (run / "events").iterdir():
        (arm / "phases.jsonl").unlink()
    assert invoke(["why", str(run)]) == 2


def test_a_cause_that_is_not_decided_exits_with_3(tmp_path: Path) -> None:
    """All partitions of a leader have no acks for three lags, and nothing else is known."""
    run = write_run(tmp_path / "run", Story(arms=("plugin",), repeats=1, stall_for_ms=6_000))
    assert invoke(["why", str(run)]) == 3
