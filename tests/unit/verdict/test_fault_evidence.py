"""The evidence that each kind of fault must have, and hosts too busy to give any."""

from dataclasses import replace
from typing import Any

import pytest

from insync.analysis.verdict.facts import FaultFact, RunFacts
from insync.analysis.verdict.invalid_reasons import invalid_reasons, missing_evidence
from insync.events.run_info import PlannedFault, RunInfo
from unit.run_folder import Story, run_json
from unit.verdict.made_up import with_scenario
from unit.verdict.test_decide import FAULT, RUN, STOCK, run_of

CUT = {"kind": "link", "mode": "cut"}
FETCH = {"kind": "answer", "api": "Fetch"}
FACT = FaultFact("?", "", "", 1, (), 0, 0.0, 0.0, acted_ms=4_000.0)


def findings(plan: dict[str, object], **fact: object) -> list[str]:
    planned = PlannedFault.model_validate({"broker": 1, "for_ms": 4_000, **plan})
    return list(missing_evidence(planned, replace(FACT, fault=planned.kind, **fact), "fault"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("plan", "good", "bad", "words"),
    [
        ({"kind": "freeze"}, {"cpu_ms": 20.0}, {"cpu_ms": 700.0}, "cpu_ms was 7"),
        ({"kind": "cpu-quota", "for_ms": 6_000}, {"throttled": 9.0}, {}, "throttled was 0, expec"),
        ({"kind": "queue-stall"}, {"threads": 4.0, "held": 4.0}, {"threads": 4.0, "held": 3.0},
         "held was 3, expected exactly 4"),
        ({"kind": "lost-log"}, {"removed_bytes": 9.0}, {"removed_bytes": 0.0},
         "removed_bytes was 0, expected at least 1"),
        ({"kind": "read-error", "partitions": [0, 1]}, {"calls_failed": 9.0}, {"calls_failed": 0.0},
         "calls_failed was 0, expected at least 1"),
        ({"kind": "config-update"},
         {"updated": 2.0, "in_force": 2.0}, {"updated": 2.0, "in_force": 1.0},
         "in_force was 1, expected exactly 2"),
        ({"kind": "config-update"}, {"updated": 1.0, "in_force": 1.0}, {},
         "updated was 0, expected at least 1"),
        ({"kind": "cpu-neighbour"}, {"waited_ms": 500.0}, {"waited_ms": 20.0},
         "waited_ms was 20, expected at least 400"),
        (CUT, {"held_bytes": 9.0}, {"held_bytes": 9.0, "passed_bytes": 1.0},
         "passed_bytes was 1, expected exactly 0"),
        (CUT, {"held_bytes": 9.0}, {}, "held_bytes was 0, expected at least 1"),
        ({"kind": "link", "mode": "delay", "delay_ms": 50}, {"held_pieces": 9.0}, {},
         "held_pieces was 0, expected at least 1"),
        ({"kind": "add-replica", "partitions": [0, 1]},
         {"assigned": 2.0, "joined": 2.0}, {"assigned": 2.0, "joined": 1.0},
         "joined was 1, expected exactly 2"),
        ({"kind": "elect", "partitions": [0, 1], "for_ms": 0}, {"moved": 2.0}, {"moved": 1.0},
         "moved was 1, expected exactly 2"),
    ],
)  # fmt: skip
def test_each_kind_is_judged_by_its_own_figure(
    plan: dict[str, object], good: dict[str, float], bad: dict[str, float], words: str
) -> None:
    assert findings(plan, figures=good) == []
    (found,) = findings(plan, figures=bad)
    assert found.startswith("no evidence of the fault: ")
    assert words in found


@pytest.mark.parametrize("kind", ["freeze", "kill"])
def test_a_fault_must_act_for_at_least_half_of_its_planned_time(kind: str) -> None:
    assert findings({"kind": kind}, acted_ms=2_000.0) == []
    assert findings({"kind": kind}, acted_ms=1_999.0) == [
        "weak evidence of the fault: acted_ms was 1999, expected at least 2000"
    ]


def test_a_scenario_sets_how_long_a_stall_must_act() -> None:
    plan = {"kind": "stall", "mode": "hold", "for_ms": 20_000, "acts_ms": 4_000}
    assert findings(plan, acted_ms=4_000.0, calls_held=1) == []
    assert findings(plan, acted_ms=3_999.0, calls_held=1) == [
        "weak evidence of the fault: acted_ms was 3999, expected at least 4000"
    ]


def test_faults_of_one_kind_at_one_broker_have_the_evidence_of_their_own_times() -> None:
    """A scenario may list a later fault first; the evidence is in order of time."""
    raw = run_json(Story(repeats=1))
    (stall,) = raw["scenario"]["faults"]
    late, early = {"at_ms": 6_000.0, "for_ms": 4_000.0}, {"at_ms": 500.0, "for_ms": 1_000.0}
    raw["scenario"]["faults"] = [{**stall, **late}, {**stall, **early}]
    run = RunInfo.model_validate(raw)

    def reasons(*acted_ms: float) -> list[str]:
        repeat = replace(STOCK, faults=tuple(replace(FAULT, acted_ms=each) for each in acted_ms))
        facts = RunFacts(finished=True, arms={"stock": (repeat,)}, unreadable={})
        return list(invalid_reasons(run, facts).get("stock", ()))

    weak = "stock, repeat 1: weak evidence of the read stall at broker 1: acted_ms was"
    assert reasons(990.0, 3_990.0) == []
    assert reasons(990.0, 990.0) == [f"{weak} 990, expected at least 2000"]
    assert reasons(490.0, 3_990.0) == [f"{weak} 490, expected at least 500"]


@pytest.mark.parametrize(("gap_ms", "void"), [(None, False), (1_000.0, False), (1_001.0, True)])
def test_a_repeat_on_too_busy_a_host_is_invalid(gap_ms: float | None, void: bool) -> None:
    busy = run_of(stock=replace(STOCK, host_gap_ms=gap_ms))
    found = [words for reasons in invalid_reasons(RUN, busy).values() for words in reasons]
    reason = "stock, repeat 2: the host was too busy: the harness was not scheduled for 1001 ms"
    assert [line.startswith(reason) for line in found] == [True] * void


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"kind": "stall", "site": "read", "mode": "hold"}, "read stall at broker 1"),
        ({"kind": "stall", "site": "fsync", "mode": "delay", "delay_ms": 1_500},
         "fsync stall + 1.5 s at broker 1"),
        ({"kind": "link", "peer": 3, "mode": "cut", "direction": "both"}, "link 1-3 cut"),
        ({"kind": "link", "peer": 3, "mode": "slow", "bytes_per_s": 10_000, "direction": "from"},
         "link 1-3 10 kB/s from broker 1"),
        ({"kind": "client-link", "mode": "loss", "loss_percent": 5.0},
         "client-link 5 % lost at broker 1"),
        ({"kind": "clock-jump", "by_ms": -50}, "clock-jump - 50 ms at broker 1"),
        ({"kind": "cpu-quota", "quota_percent": 0.3}, "cpu-quota 0.3 % at broker 1"),
        ({**FETCH, "mode": "drop"}, "Fetch answer drop at broker 1"),
        ({**FETCH, "mode": "delay", "delay_ms": 50}, "Fetch answer + 50 ms at broker 1"),
        ({**FETCH, "mode": "error", "error": "NOT_CONTROLLER"},
         "Fetch answer NOT_CONTROLLER at broker 1"),
        ({**FETCH, "mode": "reset", "processed": False},
         "Fetch answer reset unprocessed at broker 1"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_strength_and_its_place(keys: dict[str, Any], words: str) -> None:
    assert PlannedFault.model_validate({"broker": 1, **keys}).words == words


def test_each_recorded_fault_is_the_next_one_that_was_planned_like_it() -> None:
    plans = [{"kind": "link", "broker": 1, "peer": peer, "at_ms": at}
             for peer, at in ((2, 5), (3, 5), (2, 1))]  # fmt: skip
    planned = with_scenario(RUN, faults=tuple(map(PlannedFault.model_validate, plans))).scenario
    recorded = [("link", "", 1), ("kill", "", 2), ("link", "", 1), ("link", "", 1)]
    found = [each.words for each in planned.planned(recorded)]
    assert found == ["link 1-2", "kill at broker 2", "link 1-2", "link 1-3"]
