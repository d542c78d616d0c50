"""What operators and clients do to real brokers that needs a judgement, not only evidence."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import insync
from event_lines import lines_of


def passed(scenario: str, out: Path) -> dict[str, Any]:
    """Run a scenario on stock into a folder; return its verdict, which is pass."""
    done = insync("run", scenario, "--arms", "stock", "--out", out)
    verdict: dict[str, Any] = json.loads((out / "verdict.json").read_text())
    assert verdict["verdict"] == "pass", done.stdout + done.stderr
    return verdict


@pytest.mark.long
def test_an_unclean_election_costs_what_only_the_dead_leader_had(tmp_path: Path) -> None:
    verdict = passed("unclean-election", out := tmp_path / "run")
    stock = verdict["arms"]["stock"]
    assert stock["lost"] == stock["lost_at_unclean"]
    assert stock["lost"][0] > 0
    assert f"{stock['lost'][0]} records at unclean elections were lost" in verdict["reason"]
    elected = lines_of(out, "stock", "faults.jsonl")[-1]
    assert (elected["mode"], elected["figures"]) == ("unclean", {"moved": 1, "without_isr": 1})


@pytest.mark.long
def test_a_frozen_clients_transaction_times_out_and_the_next_ones_are_committed(
    tmp_path: Path,
) -> None:
    passed("frozen-client", out := tmp_path / "run")
    (frozen,) = lines_of(out, "stock", "faults.jsonl")
    assert (frozen["figures"]["open"], frozen["figures"]["timed_out"]) == (1, 1)
    ends = lines_of(out, "stock", "transactions-0.jsonl")
    own = [each for each in ends if each["client"] == "java"]
    (late,) = [each for each in own if each["ended_ms"] - each["begun_ms"] > 5_000]
    assert late["end"] != "committed"
    assert [each["end"] for each in own if each["begun_ms"] > late["ended_ms"]].count("committed")
