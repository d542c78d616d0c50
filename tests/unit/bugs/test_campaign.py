"""What a bug comes to: found where it must be, not where it must not be, or not known."""

from pathlib import Path
from typing import Any

import pytest

from insync.bugs.campaign import Bugs, Seen, judge_bug, look, tables_of
from insync.bugs.corpus import Bug, bugs, chosen, read, tried
from insync.cli.app import invoke
from insync.errors import InputError
from insync.events.verdict import EVIDENCE
from insync.outcome import Outcome
from programs.results import markdown
from unit.verdict import made_up

FOUND = Seen(True, "lost 50")
NOT_FOUND = Seen(False, "lost 0")
VOID = Seen(None, "no evidence of the kill")
HEAD = """
id = "KAFKA-1"
summary = "records are lost"
affected = "3.6.2"
fixed = "3.8.1"
minutes = 1
"""
SCENARIO = """
[scenario]
min_insync_replicas = 2
broker = { replica_lag_time_max_ms = 2_000, replica_fetch_wait_max_ms = 500 }
workload = { leaders = [1], rate_per_partition = 25, record_bytes = 200 }
timeline = { steady_ms = 1_000, recover_ms = 1_000 }
"""
FILE = f"""{HEAD}
[found]
lost = {{ min = 1 }}
max_ack_gap_ms = {{ max = 6_000, margin = 500 }}
first_shrink_ms = {{ max = 3_000 }}
{SCENARIO}"""
BUG = read(FILE, "KAFKA-1.toml")


def outcome(
    affected: list[Seen], fixed: list[Seen], bug: Bug = BUG
) -> tuple[Outcome, list[Outcome]]:
    seen = {
        release: {f"{release}/{number}": each for number, each in enumerate(found)}
        for release, found in (("3.6.2", affected), ("3.8.1", fixed))
        if found
    }
    result = judge_bug(bug, seen)
    return result.outcome, [each.outcome for each in result.children]


@pytest.mark.parametrize(
    ("affected", "fixed", "expected"),
    [
        ([FOUND] * 3, [NOT_FOUND] * 3, Outcome.PASS),
        ([FOUND] * 3, [FOUND] * 3, Outcome.FAIL),
        ([FOUND] * 3, [NOT_FOUND, NOT_FOUND, FOUND], Outcome.FAIL),
        ([FOUND, FOUND, NOT_FOUND], [NOT_FOUND] * 3, Outcome.FAIL),
        ([NOT_FOUND], [NOT_FOUND], Outcome.FAIL),
        ([FOUND, VOID], [NOT_FOUND] * 2, Outcome.UNKNOWN),
        ([FOUND], [VOID], Outcome.UNKNOWN),
        ([VOID, NOT_FOUND], [NOT_FOUND] * 2, Outcome.FAIL),
    ],
)
def test_a_bug_holds_only_if_it_is_there_and_then_gone(
    affected: list[Seen], fixed: list[Seen], expected: Outcome
) -> None:
    assert outcome(affected, fixed)[0] == expected


def test_a_bug_without_a_fix_must_be_found() -> None:
    open_bug = BUG.model_copy(update={"fixed": None})
    assert outcome([FOUND], [], open_bug) == (Outcome.PASS, [Outcome.PASS])
    assert outcome([NOT_FOUND], [], open_bug)[0] == Outcome.FAIL


def cell(found: str = "pass", **values: float | None) -> dict[str, Any]:
    figures = {"lost": 3, "max_ack_gap_ms": 6_200, "first_shrink_ms": 2_500, **values}
    return {
        "cell": made_up.cell(
            findings=[
                {"arm": "stock", "expected": EVIDENCE, "outcome": found, "found": ["stock, none"]}
            ],
            **{name: [value] for name, value in figures.items()},
        ).model_dump(),
        "broken": None, "failure": None,
    }  # fmt: skip


def test_a_bug_is_found_if_all_bounds_hold() -> None:
    assert look(BUG, cell()) == Seen(
        True, "lost 3, longest gap between acks 6.2 s, first shrink after 2.5 s"
    )
    assert look(BUG, cell(lost=0)).found is False
    assert look(BUG, cell(max_ack_gap_ms=6_501)).found is False
    assert look(BUG, cell(first_shrink_ms=None)).found is False, "no shrink, no bug"


def test_a_repeat_that_proves_nothing_is_void() -> None:
    assert look(BUG, cell(lost=None)) == Seen(None, "no data for lost")
    assert look(BUG, cell("unknown")) == Seen(None, "none")
    assert look(BUG, {**cell(), "failure": "the cluster did not start"}).found is None
    why = {"why": "the stall was refused", "by_fault": True}
    assert look(BUG, {**cell(), "broken": why}) == Seen(None, "the stall was refused")
    skipped = cell()
    skipped["cell"] = made_up.cell(outcome="skipped", reason="no cgroup").model_dump()
    assert look(BUG, skipped) == Seen(None, "no cgroup")


KILL = 'faults = [{ kind = "kill", broker = 2, at_ms = 1_000, for_ms = 1_000 }]'
EXIT = read(f"{HEAD}[found]\nunplanned_exits = {{ min = 1 }}\n{SCENARIO}{KILL}", "KAFKA-1.toml")


def ended(*acted_ms: float, by_fault: bool | None = None) -> dict[str, Any]:
    """Return the result of a repeat in which a node ended by itself."""
    result = cell("unknown", unplanned_exits=1)
    result["cell"]["evidence"] = [{"acted_ms": each} for each in acted_ms]
    if by_fault is not None:
        result["broken"] = {"why": "broker 2 does not serve", "by_fault": by_fault}
    return result


def test_a_node_that_ended_is_found_although_its_data_is_missing() -> None:
    assert look(EXIT, ended(1_000)).found is True
    assert look(EXIT, ended(1_000, by_fault=False)).found is True, "the repeat was cut short"


def test_that_no_node_ended_counts_although_its_data_is_missing() -> None:
    result = ended(1_000)
    result["cell"]["unplanned_exits"] = [0]
    assert look(EXIT, result).found is False
    result["cell"]["unplanned_exits"] = [None]
    assert look(EXIT, result).found is None, "the repeat was cut short"


def test_a_node_that_ended_is_void_if_a_fault_did_not_act() -> None:
    assert look(EXIT, ended()).found is None
    assert look(EXIT, ended(0)).found is None
    assert look(EXIT, ended(1_000, by_fault=True)).found is None


def test_a_campaign_that_is_resumed_plays_void_repeats_again() -> None:
    campaign = Bugs(["KAFKA-15583"])
    seen = cell(under_min_isr_ms=9_000, max_end_to_end_ms=3_000)
    void = {**seen, "failure": "the cluster did not start"}
    for result in (seen, void):
        result["cell"] = {**result["cell"], "scenario": "kafka-15583"}
    assert campaign.is_final(seen)
    assert not campaign.is_final(void)


def test_the_table_counts_where_it_was_found() -> None:
    seen = {"KAFKA-1": {"3.6.2": {"a": FOUND, "b": VOID}, "3.8.1": {}}}
    found, _ = tables_of([BUG], seen)
    assert found.rows[0][2:6] == ("3.6.2", "found in 1 of 2, 1 void", "3.8.1", "not run")
    link = "[KAFKA-1](https://issues.apache.org/jira/browse/KAFKA-1)"
    assert markdown([found])[2].startswith(f"| {link} | records are lost |")


def test_each_repeat_has_its_releases_beside_each_other() -> None:
    campaign = Bugs(["KAFKA-15583"], repeats=2)
    cells = campaign.cells({})
    assert [each.name for each in cells] == [
        f"KAFKA-15583/{number}/{release}/stock"
        for number in (1, 2) for release in ("3.6.2", "3.8.1")
    ]  # fmt: skip
    assert [campaign.group(each) for each in cells[:2]] == ["KAFKA-15583/1"] * 2
    assert [each.seed for each in cells] == [1, 1, 2, 2]
    assert campaign.seconds(cells) == 2 * campaign.seconds(cells[:2]) > 0


@pytest.mark.parametrize("bug", bugs().values(), ids=lambda bug: bug.id)
def test_every_bug_has_a_scenario_that_can_be_run(bug: Bug) -> None:
    scenario = bug.resolved()
    assert (scenario.arms, scenario.repeats, scenario.expect) == (("stock",), 1, {})
    assert bug.id not in tried()


def test_a_scenario_may_be_named() -> None:
    named = BUG.model_copy(update={"scenario": "dead-follower"}).resolved()
    assert (named.name, named.summary, named.expect) == ("kafka-1", "records are lost", {})
    assert [fault.kind for fault in named.faults] == ["kill"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('affected = "3.6.2"', 'affected = "3.6"', r"KAFKA-1.toml: affected: '3.6', expected"),
        ("lost =", "losses =", "KAFKA-1.toml: found.losses"),
        ('id = "KAFKA-1"', 'id = "KAFKA-2"', "KAFKA-1.toml: id: 'KAFKA-2', expected the file's"),
        ('id = "KAFKA-1"', "id = ", "KAFKA-1.toml: invalid TOML"),
        ("minutes = 1", "", "KAFKA-1.toml: minutes: missing"),
    ],
)
def test_a_bad_file_is_one_line(old: str, new: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        read(FILE.replace(old, new), "KAFKA-1.toml")
    assert str(error.value).startswith(problem)
    assert "\n" not in str(error.value)


def test_a_bad_scenario_names_its_bug() -> None:
    bug = read(FILE.replace("leaders = [1]", "leaders = [9]"), "KAFKA-1.toml")
    with pytest.raises(InputError, match=r"^KAFKA-1: scenario: workload.leaders\[0\]: 9"):
        bug.resolved()


def test_bad_options_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert invoke(["bugs", "KAFKA-1558", "--out", str(tmp_path / "out")]) == 2
    assert "bug KAFKA-1558: expected one of " in capsys.readouterr().err
    assert invoke(["bugs", "--repeat", "0"]) == 2
    assert capsys.readouterr().err == "insync: --repeat 0: expected 1 to 100\n"


def test_the_list_needs_no_broker(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["bugs", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in (*bugs(), *tried()))
    assert [bug.id for bug in chosen(["KAFKA-15583"])] == ["KAFKA-15583"]


def test_the_page_has_every_bug() -> None:
    page = (Path(__file__).parents[3] / "docs" / "bugs.md").read_text()
    for table in tables_of(list(bugs().values()), {}):
        for row in markdown([table])[2:]:
            assert row.partition(" | not run")[0] in page, "`make results PAGES=docs/bugs.md`"


def test_a_campaign_writes_what_it_found(tmp_path: Path) -> None:
    campaign = Bugs(["KAFKA-15583"])
    read_after_ms = {"3.6.2": 3_000, "3.8.1": 12_000}
    done = {
        f"KAFKA-15583/1/{release}/stock": {
            **cell(under_min_isr_ms=9_000, max_end_to_end_ms=ms),
            "report": f"{release}/report.html",
        }
        for release, ms in read_after_ms.items()
    }
    result = campaign.judge(done)
    campaign.write(tmp_path, result)
    assert result.outcome == Outcome.PASS
    assert [each.found for each in result.children[0].children] == [
        "found in 1 of 1: under min ISR 9.0 s, longest end to end 3.0 s",
        "found in 0 of 1: under min ISR 9.0 s, longest end to end 12.0 s",
    ]
    assert result.tables[0].rows[0][2:6] == ("3.6.2", "found in 1 of 1", "3.8.1", "found in 0 of 1")
    written = {each.name for each in tmp_path.iterdir()}
    assert written == {"verdict.json", "junit.xml", "report.html"}
