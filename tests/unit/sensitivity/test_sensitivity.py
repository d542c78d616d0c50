"""Every expectation of every built-in scenario can fail.

For each value just within and just beyond a bound there is a made-up history. All go through the
tables in one analysis, and the judge decides upon what the tables say.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from insync import metrics
from insync.analysis.engine.session import Session
from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.repeat_facts import facts_of_run
from insync.events import schema
from insync.events.run_info import RunInfo
from unit.conftest import rows_of
from unit.histories.clean import clean
from unit.histories.history import FILES
from unit.run_folder import EPOCH_MS, Line, Story, append, run_json
from unit.sensitivity import histories, races
from unit.sensitivity.expectations import STEP_MS, Form, Measured, Metrics, forms
from unit.sensitivity.histories import ARM, LEADERS, Repeat

FORMS = forms()


@dataclass(frozen=True)
class Made:
    """What the tables say of the made-up histories; `workload` and `race` are without a problem."""

    measured: Measured
    workload: Metrics
    race: Metrics

    def healthy(self, form: Form) -> Metrics:
        return self.race if form.run.is_race else self.workload


def write(folder: Path, run: Line, repeats: list[Repeat]) -> RunInfo:
    whole = {**run, "arms": [ARM], "repeats": len(repeats)}
    for repeat in repeats:
        for file, lines in repeat.lines.items():
            append(folder / schema.EVENTS / ARM / file, lines)
    info = RunInfo.model_validate(whole)
    (folder / schema.RUN).write_text(info.model_dump_json(by_alias=True))
    return info


def workload_json() -> Line:
    """Return run.json of a run of which every metric of a workload can be known."""
    run = run_json(Story(faults=False))
    changed = {
        "control_arms": [],
        "expect": {},
        "broker": {
            **run["scenario"]["broker"], "insync_relinquish_cooldown_ms": histories.COOLDOWN_MS,
        },
        "workload": {
            **run["scenario"]["workload"], "leaders": list(LEADERS), "client_retries": False,
            "groups": [{"protocol": "classic", "members": 2}],
            "transactions": {"coordinators": [1]},
        },
    }  # fmt: skip
    return {**run, "scenario": {**run["scenario"], **changed}}


def write_healthy(folder: Path) -> RunInfo:
    """Write a run of which every metric of a workload is known and no integrity is violated."""
    number = next(seed for seed in count() if (h := clean(0, seed)).transactional and h.has_fresh)
    repeat = Repeat(0, 0.0)
    for kind, line in clean(0, number).lines():
        if kind == "produce" and line["done_ms"] is not None:
            line["latency_ms"] = line["done_ms"] - line["sent_ms"]
        repeat.lines[FILES[kind]].append({**line, "arm": ARM})
    read_step_downs(repeat, (1, 2, 3))
    run = workload_json()
    leaders = {"leaders": [1, 1, 2, 3]}
    run["scenario"]["workload"] = {**run["scenario"]["workload"], **leaders}
    return write(folder, {**run, "scenario_name": "healthy", "started_ms": EPOCH_MS}, [repeat])


def read_step_downs(repeat: Repeat, brokers: tuple[int, ...]) -> None:
    """Note that the agents' events were read to their end."""
    for broker in brokers:
        repeat.lines[schema.STEP_DOWNS].append(
            {"arm": ARM, "t_ms": repeat.start_ms + 99_000.0, "broker": broker, "type": "read"}
        )


def in_turn(
    values: list[tuple[str, float]], make: Callable[[str, float, int, float], Repeat]
) -> list[Repeat]:
    found, start = [], EPOCH_MS
    for number, (metric, value) in enumerate(values):
        found.append(make(metric, value, number, start))
        start += (found[-1].length_ms or 0.0) + 1_000.0
    return found


@pytest.fixture(scope="module")
def made(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make up all histories, and compute the tables of all in one pass."""
    home = tmp_path_factory.mktemp("sensitivity")
    folders = [home / name for name in ("workload", "race", "healthy")]
    needed = sorted({each for form in FORMS for each in form.values()})
    of_workload = [each for each in needed if each[0] in histories.MADE]
    of_races = [each for each in needed if each[0] in races.MADE]
    repeats = in_turn(of_workload, histories.made)
    read_step_downs(repeats[0], LEADERS)
    raced = in_turn(of_races, races.made)
    race_json = workload_json()
    race_json["scenario"]["race"] = {"order": "half-read", "start_moves_by": "delete-records"}
    infos = [
        write(folders[0], workload_json(), repeats),
        write(folders[1], {**race_json, "scenario_name": "race"}, raced),
        write_healthy(folders[2]),
    ]
    rows = rows_of(session, *folders)
    workload, race, healthy = (
        [repeat.metrics for repeat in facts_of_run(info, each).arms[ARM]]
        for info, each in zip(infos, rows, strict=True)
    )
    places = [*zip(of_workload, workload, strict=True), *zip(of_races, race, strict=True)]
    measured = {place: found[place[0]] for place, found in places}
    calm = next(found for (metric, value), found in places if metric in races.MADE and value == 0)
    return Made(measured, healthy[0], calm)


def test_every_bounded_metric_has_histories() -> None:
    bounded = {metric for form in FORMS for metric, _ in form.values()}
    assert bounded == set(histories.MADE) | set(races.MADE)


def test_the_tables_have_the_value_of_each_history(made: Made) -> None:
    """A metric that the tables compute as 0 whatever happened would be found here."""
    differ = {
        place: value
        for place, value in made.measured.items()
        if value is None or abs(value - place[1]) > (STEP_MS / 5 if place[0][-3:] == "_ms" else 0)
    }
    assert differ == {}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.name}{form.on and '-' + form.on}")
def test_a_run_passes_if_all_expectations_hold(made: Made, form: Form) -> None:
    for each in form.expectations():
        held = {each.arm: {each.metric: made.measured[each.metric, each.holds]}}
        found = decide(form.run, form.facts(made.healthy(form), made.measured, held))
        assert found.verdict == "pass", (str(each), found.reason)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.name}{form.on and '-' + form.on}")
def test_each_expectation_fails_alone(made: Made, form: Form) -> None:
    """A control arm that is not as expected proves nothing: the run is unknown."""
    for each in form.expectations():
        if each.metric in metrics.integrity(form.run.scenario.workload.acks):
            continue  # it fails every arm, see the test below
        broken = {each.arm: {each.metric: made.measured[each.metric, each.breaks]}}
        found = decide(form.run, form.facts(made.healthy(form), made.measured, broken))
        expected = "unknown" if each.arm in form.run.control_arms else "fail"
        assert found.verdict == expected, (str(each), found.reason)
        assert found.reason.startswith((f"{each.arm}, repeat 1: {each.metric}", f"{each.arm}: ")), (
            each
        )
        differ = [one for one in found.findings if one.outcome in ("fail", "unknown")]
        # A comparison that follows from the bounds of its arms fails together with one of them.
        assert {(one.arm, one.expected.split()[0]) for one in differ} == {(each.arm, each.metric)}


def test_an_integrity_violation_fails_every_arm(made: Made) -> None:
    """One scenario of each kind: they differ in what counts as a violation."""

    def violations(form: Form) -> tuple[str, ...]:
        bounds = [name for bound in form.run.scenario.expect.values() for name in bound]
        unclean = "lost_at_unclean" in bounds
        return metrics.integrity(form.run.scenario.workload.acks, unclean=unclean)

    for form in {(form.run.is_race, violations(form)): form for form in FORMS}.values():
        for metric in violations(form):
            for arm in form.run.arms:
                facts = form.facts(made.healthy(form), made.measured, {arm: {metric: 1.0}})
                found = decide(form.run, facts)
                assert found.verdict == "fail"
                assert found.reason.startswith(f"{arm}, repeat 1: {metric} was 1, expected 0")
