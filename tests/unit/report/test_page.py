"""The page: one file, no requests, a summary in words at the top."""

import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from insync.analysis.tables.rows import Rows
from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.file import as_json
from insync.analysis.verdict.repeat_facts import facts_of_run
from insync.errors import InputError
from insync.events.run_info import RunInfo, Transactions
from insync.report import sections
from insync.report.judgement import Judgement, read_judgement
from insync.report.render import render
from insync.report.tabular import MOST_ROWS
from insync.report.words import latency, number, span


class Reader(HTMLParser):
    """Collects a page's visible text and every address it would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.fetched: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record what the tag would load."""
        self._inside = tag
        links = [value or "" for name, value in attrs if name in ("src", "href")]
        self.fetched += [link for link in links if not link.startswith("#")]

    def handle_data(self, data: str) -> None:
        """Record the visible text."""
        if self._inside not in ("script", "style"):
            self.text.append(data)


def verdict_of(run: RunInfo, rows: Rows) -> Judgement:
    return Judgement.model_validate(as_json(run, decide(run, facts_of_run(run, rows))))


def page_of(run: RunInfo, rows: Rows) -> tuple[str, str]:
    """Return the page, and its visible text with all white space as single spaces."""
    page = render(run, verdict_of(run, rows), rows)
    reader = Reader()
    reader.feed(page)
    assert reader.fetched == []
    return page, re.sub(r"\s+", " ", " ".join(reader.text))


def test_the_top_shows_the_verdict_and_each_arms_result(
    made_up_run: RunInfo, made_up_rows: Rows
) -> None:
    page, text = page_of(made_up_run, made_up_rows)
    assert "Pass: every expectation holds" in text
    assert "stock: the ISR shrank in 3 of 3 repeats, down to 1 of 3 replicas, the leader" in text
    assert "plugin: the ISR never shrank in 3 of 3 repeats." in text
    assert "No acked record was lost." in text
    assert text.index("No acked record") < text.index("The in-sync replicas of every repeat")
    assert "@import" not in page


def test_each_repeat_has_its_figure(made_up_run: RunInfo, made_up_rows: Rows) -> None:
    page, _ = page_of(made_up_run, made_up_rows)
    found = re.search(r'<script id="figures" type="application/json">(.*?)</script>', page)
    assert found
    figures = json.loads(found[1])
    assert list(figures) == ["repeat 0", "repeat 1", "repeat 2"]


def test_a_run_without_files_still_has_a_page(made_up_run: RunInfo, made_up_rows: Rows) -> None:
    rows: Mapping[str, list[dict[str, Any]]] = {name: [] for name in made_up_rows}
    run = made_up_run.model_copy(update={"finished_ms": None})
    page, text = page_of(run, rows)
    assert "Unknown: this run proves nothing" in text
    assert "stock: the ISR is not known." in text
    assert len(page) < 100_000


def test_text_from_a_run_is_escaped(made_up_run: RunInfo, made_up_rows: Rows) -> None:
    run = made_up_run.model_copy(update={"scenario_name": "</title><script>alert(1)</script>"})
    page, _ = page_of(run, made_up_rows)
    assert "<script>alert" not in page


def test_lost_records_are_counted_and_listed(made_up_run: RunInfo, made_up_rows: Rows) -> None:
    acked = {"what": "ack", "who": 0, "seq": 41, "offset": 40, "at_ms": 9.0, "note": None}
    lost = {
        "arm": "stock", "repeat": 0, "topic": "made-up-r0", "partition": 1, "kind": "lost-write",
        "label": "acked and never read", "offset": 40, "last_offset": 40, "operations": [acked],
    }  # fmt: skip
    readback = [dict(row) for row in made_up_rows["readback"]]
    readback[0]["lost"] = 1
    _, text = page_of(made_up_run, {**made_up_rows, "readback": readback, "anomalies": [lost]})
    assert "Fail: an expectation does not hold" in text
    assert "1 acked records were lost." in text
    assert "1 lost-write: acked and never read 40 40 ack by 0: sequence 41 at offset 40" in text


def test_a_run_with_transactions_has_a_table_of_them(
    made_up_run: RunInfo, made_up_rows: Rows
) -> None:
    _, without = page_of(made_up_run, made_up_rows)
    assert "longest gap between commits" not in without
    workload = made_up_run.scenario.workload.model_copy(
        update={"transactions": Transactions(coordinators=(1, 3))}
    )
    scenario = made_up_run.scenario.model_copy(update={"workload": workload})
    row = {
        "arm": "plugin", "repeat": 0, "producer": 1, "committed": 30, "aborted": 9,
        "meant_to_abort": 8, "unknown": 1, "torn": 0, "aborted_read": 0, "commit_p50_ms": 12.34,
        "commit_p99_ms": 99.0, "commit_max_ms": 2_345.0, "commit_gap_ms": 2_468.0,
    }  # fmt: skip
    run = made_up_run.model_copy(update={"scenario": scenario})
    _, text = page_of(run, {**made_up_rows, "transactions": [row]})
    assert "plugin 0 1 broker 3 30 9 8 1 0 0 12.3 99.0" in text


def test_a_long_table_is_truncated_with_a_note(made_up_run: RunInfo, made_up_rows: Rows) -> None:
    rows = {**made_up_rows, "faults": made_up_rows["faults"] * 100}
    tables = sections.details(made_up_run, rows, [])
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


@pytest.mark.parametrize("text", [None, "{", '{"verdict": "maybe", "reason": "", "arms": {}}'])
def test_a_missing_or_foreign_verdict_gives_one_line(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "verdict.json").write_text(text)
    with pytest.raises(InputError, match=r"^[^\n]*verdict\.json: [^\n]+$"):
        read_judgement(tmp_path)
