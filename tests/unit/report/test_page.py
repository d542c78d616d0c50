"""The page: one file, no requests, a summary in words at the top."""

import re
from html.parser import HTMLParser
from itertools import product

import pytest

from insync.analysis.tables.rows import Rows
from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.repeat_facts import facts_of_run
from insync.events.run_info import RunInfo, RunTransactions
from insync.events.verdict import Verdict
from insync.report import sections
from insync.report.page import render
from insync.report.render import MOST_BYTES, with_units
from insync.report.sections import MOST_ROWS
from insync.report.timeline.timelines import timelines
from insync.report.words import latency, number, span
from insync.result import Table
from unit.verdict.made_up import with_workload


class Reader(HTMLParser):
    """Collects a page's visible text and every address it would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.fetched: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        links = [value or "" for name, value in attrs if name in ("src", "href")]
        self.fetched += [link for link in links if not link.startswith("#")]

    def handle_data(self, data: str) -> None:
        if self._inside not in ("script", "style"):
            self.text.append(data)


def verdict_of(run: RunInfo, rows: Rows) -> Verdict:
    return decide(run, facts_of_run(run, rows)).model_copy(update={"engine": "Sail 0"})


def details(run: RunInfo, rows: Rows) -> list[Table]:
    return list(sections.details(run, rows, timelines(run, rows)))


def page_of(run: RunInfo, rows: Rows) -> tuple[str, str]:
    """Return the page, and its visible text with all white space as single spaces."""
    page = render(run, verdict_of(run, rows), rows, timelines(run, rows))
    reader = Reader()
    reader.feed(page)
    assert reader.fetched == []
    return page, re.sub(r"\s+", " ", " ".join(reader.text))


def test_the_top_shows_the_verdict_and_each_arms_result(run: RunInfo, rows: Rows) -> None:
    page, text = page_of(run, rows)
    order = (
        "Stock dropped followers from the ISR in 3 of 3 repeats; plugin in 0 of 3.",
        "\u2713 pass every expectation holds",
        "No acked record was lost. Record order, offsets, leader epochs and",
        "How to read this",
        "time of a fault",
        "Acks and in-sync replicas of every repeat",
        "The ISR shrank in 3 of 3 repeats, down to 1 of 3 replicas, the leader",
        "The ISR never shrank in 3 of 3 repeats.",
        "A record is due when its producer should send it",
    )
    assert [each for each in order if each not in text] == []
    places = [text.rindex(each) if each == order[3] else text.index(each) for each in order]
    assert places == sorted(places)
    assert "@import" not in page


def test_repeats_count_from_1_everywhere(run: RunInfo, rows: Rows) -> None:
    page, text = page_of(run, rows)
    assert [f"repeat {n}" in text for n in range(5)] == [False, True, True, True, False]
    assert "repeat 0" not in page
    by_repeat = [table for table in details(run, rows) if "repeat" in table.columns[1:2]]
    numbers = {row[1] for table in by_repeat for row in table.rows}
    assert numbers == {"1", "2", "3"}


def test_a_figure_is_the_same_wherever_it_is_shown(run: RunInfo, rows: Rows) -> None:
    """Records of the time before the window opened count in no table of the page."""
    rows = {**rows, "readback": [{**r, "acked": 999} for r in rows["readback"]]}
    verdict = verdict_of(run, rows)
    latency_table = next(table for table in details(run, rows) if "due" in table.columns)
    acked = [row[3].replace("\u202f", "") for row in latency_table.rows]
    assert acked == [str(n) for arm in verdict.arms.values() for n in arm["acked"]]


def test_figures_that_are_equal_in_every_arm_are_folded(run: RunInfo, rows: Rows) -> None:
    page, text = page_of(run, rows)
    found = sections.side_by_side(verdict_of(run, rows))
    assert all(len(set(row[1:])) == 1 for row in found.equal.rows)
    assert all(len(set(row[1:])) > 1 for row in found.differ.rows)
    assert "lost" in [row[0] for row in found.equal.rows]
    assert f"{len(found.equal.rows)} of {found.count} figures are equal in every arm" in text
    assert page.index("figures are equal in every arm") < page.index(">lost<")


def test_a_page_of_many_arms_and_repeats_is_small_enough(run: RunInfo, rows: Rows) -> None:
    arms = tuple(f"arm-{number}" for number in range(4))
    places = list(product(arms, range(12)))
    many = {
        name: [
            {**row, "repeat": repeat, **({"arm": arm} if "arm" in row else {})}
            for row in table
            if row.get("arm", "stock") == "stock" and row.get("repeat", 0) == 0
            for arm, repeat in places
        ]
        for name, table in rows.items()
    } | {"input_lines": rows["input_lines"]}
    run = run.model_copy(update={"arms": arms, "repeats": 12})
    page, text = page_of(run, many)
    assert MOST_BYTES / 2 < len(page.encode()) <= MOST_BYTES
    assert "more repeats of each arm. The tables have all." in text
    assert "The Parquet tables hold" in text


def test_a_run_without_files_still_has_a_page(run: RunInfo, rows: Rows) -> None:
    none: Rows = {name: [] for name in rows}
    page, text = page_of(run.model_copy(update={"finished_ms": None}), none)
    assert "? unknown this run proves nothing" in text
    assert "No figure of this run is known." in text
    assert "The ISR is not known." in text
    assert len(page) < 100_000


def test_the_page_says_where_the_data_of_the_brokers_is(run: RunInfo, rows: Rows) -> None:
    kept, new = (run.model_copy(update={"keep_data": each}) for each in (True, False))
    assert "brokers' data not needed" in page_of(new, rows)[1]
    odd = {**rows, "isr_shrinks": []}  # the control arm did not show the problem
    assert "brokers' data kept in nodes/stock," in page_of(new, odd)[1]
    assert "kept in nodes/stock, nodes/plugin," in page_of(kept, rows)[1]


def test_text_from_a_run_is_escaped(run: RunInfo, rows: Rows) -> None:
    run = run.model_copy(update={"scenario_name": "</title><script>alert(1)</script>"})
    page, _ = page_of(run, rows)
    assert "<script>alert" not in page


def test_lost_records_are_counted_and_listed(run: RunInfo, rows: Rows) -> None:
    acked = {"what": "ack", "who": 0, "seq": 41, "offset": 40, "at_ms": 9.0, "note": None}
    lost = {
        "arm": "stock", "repeat": 0, "topic": "made-up-r0", "partition": 1, "kind": "lost-write",
        "label": "acked and never read", "offset": 40, "last_offset": 40, "operations": [acked],
    }  # fmt: skip
    readback = [dict(row) for row in rows["readback"]]
    next(row for row in readback if row["arm"] == "stock")["lost"] = 1
    _, text = page_of(run, {**rows, "readback": readback, "first_anomalies": [lost]})
    assert "\u2717 fail an expectation does not hold" in text
    assert "Stock lost acked records in 1 of 3 repeats; plugin in 0 of 3." in text
    assert "1 acked records were lost." in text
    assert "1 lost-write: acked and never read 40 40 ack by 0: sequence 41 at offset 40" in text


def test_a_run_with_transactions_has_a_table_of_them(run: RunInfo, rows: Rows) -> None:
    _, without = page_of(run, rows)
    assert "longest gap between commits" not in without
    run = with_workload(run, transactions=RunTransactions(coordinators=(1, 3)))
    row = {
        "arm": "plugin", "repeat": 0, "producer": 1, "committed": 30, "aborted": 9,
        "meant_to_abort": 8, "unknown": 1, "torn": 0, "aborted_read": 0, "commit_p50_ms": 12.34,
        "commit_p99_ms": 99.0, "commit_max_ms": 2_345.0, "commit_gap_ms": 2_468.0,
    }  # fmt: skip
    _, text = page_of(run, {**rows, "transactions": [row]})
    assert "plugin 1 1 broker 3 30 9 8 1 0 0 12.3 99.0" in text


def test_leader_changes_and_step_downs_are_listed(run: RunInfo, rows: Rows) -> None:
    repeat = {"arm": "plugin", "repeat": 0, "t_ms": 1_000.0, "partition": 0}
    change = {**repeat, "leader_before": 2, "leader": 3, "leader_epoch": 7, "isr": [3, 1],
              "planned": False}  # fmt: skip
    asked = {**repeat, "leader_epoch": 6, "broker": 2, "successor": 3, "outcome": "done",
             "way": "fence", "error": None, "reason": None, "isr_policy": "leave",
             "pending_ms": 2_100, "asked_ms": 40}  # fmt: skip
    tables = details(run, {**rows, "leader_changes": [change], "step_downs": [asked]})
    listed = {table.title: [row[4:] for row in table.rows] for table in tables}
    assert listed["Leader changes"] == [["2", "3", "7", "1, 3", ""]]
    assert listed["Slow leaders and their step-downs"] == [
        ["2", "3", "done", "fence", "leave", "2\u202f100", "40"]
    ]


def test_a_long_table_is_truncated_with_a_note(run: RunInfo, rows: Rows) -> None:
    tables = details(run, {**rows, "faults": rows["faults"] * 100})
    table = next(each for each in tables if each.title.startswith("Faults"))
    assert (len(table.rows), table.more) == (MOST_ROWS, 600 - MOST_ROWS)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (number(None), "\N{EN DASH}"),
        (number(5_029.4), "5\u202f029"),
        (latency(4.84), "4.8"),
        (latency(3_018.2), "3\u202f018"),
        (span(585.2), "585 ms"),
        (span(5_000.0), "5.0 s"),
    ],
)
def test_number_formats(written: str, expected: str) -> None:
    assert written == expected


def test_a_line_does_not_end_between_a_number_and_its_unit() -> None:
    gap = "The longest gap was 25.1{}s in stock; 300{}ms in off. 3 seeds, 2 of 2 shrinks"
    assert with_units(gap.replace("{}", " ")) == gap.replace("{}", "\u00a0")
