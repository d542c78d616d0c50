"""Properties of the verdict for every run: worse facts never give a better verdict."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from insync import metrics as registry
from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.facts import AgentFact, FaultFact, RepeatFacts, RunFacts
from insync.analysis.verdict.liveness import not_live
from insync.events.run_info import RunInfo
from unit.run_folder import Story, run_json

RUN = RunInfo.model_validate(run_json(Story(repeats=2)))
BETTER = {"pass": 2, "unknown": 1, "fail": 0}

few = st.sampled_from([0.0, 1.0, 2.0])
metrics = st.fixed_dictionaries(
    {
        name: few if name not in registry.integrity() else st.sampled_from([0.0] * 60 + [1.0])
        for name in registry.of_verdict()
    }
)
faults = st.sampled_from([5e3, 5e3, 1e3]).map(
    lambda held: (FaultFact("stall", "read", "hold", 1, ("t-0",), 4, 9e3, held, held),)
)
agents = st.sampled_from([0] * 9 + [1]).map(
    lambda errors: tuple(AgentFact(broker, errors, 0, enabled=True) for broker in (1, 2, 3))
)


def repeats(arm: str) -> st.SearchStrategy[tuple[RepeatFacts, ...]]:
    """Make the two repeats of an arm, good and bad."""
    one = st.builds(
        RepeatFacts,
        complete=st.sampled_from([True] * 9 + [False]),
        metrics=metrics,
        faults=faults,
        agents=agents if arm != "stock" else st.just(()),
    )
    return st.tuples(one, one)


runs = st.builds(
    RunFacts,
    finished=st.sampled_from([True] * 9 + [False]),
    arms=st.fixed_dictionaries({"stock": repeats("stock"), "plugin": repeats("plugin")}),
    unreadable=st.just({}),
)
places = st.tuples(st.sampled_from(["stock", "plugin"]), st.integers(0, 1))


Place = tuple[str, int]


def changed(facts: RunFacts, place: Place, **fields: Any) -> RunFacts:
    """Return facts with other fields of one repeat."""
    arm, number = place
    in_arm = list(facts.arms[arm])
    in_arm[number] = replace(in_arm[number], **fields)
    return replace(facts, arms={**facts.arms, arm: tuple(in_arm)})


def worsened(facts: RunFacts, place: Place, metric: str) -> RunFacts:
    """Return facts in which a metric of one repeat is larger by one."""
    metrics = facts.arms[place[0]][place[1]].metrics
    return changed(facts, place, metrics={**metrics, metric: (metrics[metric] or 0.0) + 1.0})


@given(runs, places, st.sampled_from(registry.integrity()))
def test_lost_or_corrupted_records_always_fail(
    facts: RunFacts, place: Place, violation: str
) -> None:
    assert decide(RUN, worsened(facts, place, violation)).verdict == "fail"


@given(runs, places, st.sampled_from(registry.liveness()))
def test_a_run_with_a_loss_of_liveness_never_passes(
    facts: RunFacts, place: Place, metric: str
) -> None:
    assert decide(RUN, worsened(facts, place, metric)).verdict != "pass"


@given(runs, places)
def test_no_run_passes_without_evidence(facts: RunFacts, place: Place) -> None:
    assert decide(RUN, changed(facts, place, faults=())).verdict != "pass"


@given(runs, places)
def test_an_arm_with_an_interrupted_repeat_is_unknown_unless_something_graver_is_found(
    facts: RunFacts, place: Place
) -> None:
    found = decide(RUN, changed(facts, place, complete=False))
    arm = place[0]
    violated = any(
        repeat.metrics[name] for repeat in facts.arms[arm] for name in registry.integrity()
    )
    stuck = any(each.fails for each in not_live(RUN, facts) if each.arm == arm)
    assert found.cell(arm).outcome == ("fail" if violated or stuck else "unknown")
    assert found.verdict != "pass"


@given(runs, st.integers(0, 1))
def test_a_shrink_under_the_plugin_never_improves_the_verdict(facts: RunFacts, number: int) -> None:
    worse = worsened(facts, ("plugin", number), "isr_shrinks")
    before, after = (decide(RUN, run).verdict for run in (facts, worse))
    assert BETTER[after] <= BETTER[before]


@given(runs)
def test_the_order_of_arms_does_not_matter(facts: RunFacts) -> None:
    turned = replace(facts, arms={arm: facts.arms[arm] for arm in reversed(RUN.arms)})
    run = RUN.model_copy(update={"arms": tuple(reversed(RUN.arms))})
    assert decide(run, turned).verdict == decide(RUN, facts).verdict


@given(runs)
def test_the_reason_is_one_line(facts: RunFacts) -> None:
    reason = decide(RUN, facts).reason
    assert reason
    assert "\n" not in reason
