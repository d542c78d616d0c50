"""verdict.json has the contract's keys and is written atomically."""

import json
from pathlib import Path

from insync import metrics
from insync.analysis.tables.rows import Rows
from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.repeat_facts import facts_of_run
from insync.events.run_info import RunInfo
from insync.events.verdict import read_verdict, write_verdict


def test_the_file_has_the_contracts_keys_and_figures(
    tmp_path: Path, run: RunInfo, rows: Rows
) -> None:
    verdict = decide(run, facts_of_run(run, rows))
    write_verdict(tmp_path, verdict)
    assert read_verdict(tmp_path) == verdict
    found = json.loads((tmp_path / "verdict.json").read_text())
    assert list(found) == [
        "scenario", "kafka", "client", "scale", "seed", "verdict", "reason", "engine", "findings",
        "arms",
    ]  # fmt: skip
    assert found["findings"][-1] == {
        "arm": "plugin", "expected": "isr_shrinks at most 0", "outcome": "pass",
        "found": ["0, 0, 0"],
    }  # fmt: skip
    assert (found["scenario"], found["kafka"], found["verdict"]) == ("made-up", "4.3.1", "pass")
    stock, plugin = found["arms"]["stock"], found["arms"]["plugin"]
    assert list(stock) == ["repeats", *metrics.of_verdict(), "evidence", "agent_errors"]
    assert (stock["repeats"], stock["isr_shrinks"], stock["min_isr_size"]) == (3, [2] * 3, [1] * 3)
    assert stock["under_min_isr_ms"] == [585] * 3
    assert (stock["first_shrink_ms"], plugin["first_shrink_ms"]) == ([5_015] * 3, [None] * 3)
    assert all(5_000 < gap < 5_100 for gap in stock["max_ack_gap_ms"])
    assert (stock["agent_errors"], plugin["agent_errors"]) == ([], [0, 0, 0])
    assert (plugin["isr_shrinks"], plugin["lost"], plugin["acked"]) == ([0] * 3, [0] * 3, [396] * 3)
    assert plugin["evidence"][0] == {
        "fault": "stall", "site": "read", "target": ["made-up-r0-0", "made-up-r0-1"],
        "calls_held": 4, "held_ms": 19_500, "longest_held_ms": 4_987.5, "acted_ms": 4_987.5,
        "figures": {},
    }  # fmt: skip
    assert [file.name for file in tmp_path.iterdir()] == ["verdict.json"]


def test_missing_data_of_a_repeat_is_null(run: RunInfo, rows: Rows) -> None:
    def of_first(row: dict[str, object]) -> bool:
        return row.get("arm") == "stock" and row.get("repeat") == 0

    others = {name: [row for row in table if not of_first(row)] for name, table in rows.items()}
    facts = facts_of_run(run, others)
    assert set(facts.arms["stock"][0].metrics.values()) == {None}
    assert facts.arms["stock"][1].metrics["acked"] == 396
