"""One registry of metrics: every consumer agrees with it, and a new metric shows up in each."""

import re

import pytest

from insync import metrics
from insync.analysis.verdict.facts import RepeatFacts, arm_figures
from insync.analysis.verdict.liveness import liveness_metrics
from insync.analysis.verdict.repeat_facts import Completeness, _metrics
from insync.errors import InputError
from insync.events.run_info import RunGroup, RunInfo, RunTransactions
from insync.metrics import METRICS, Metric
from insync.report import sections
from insync.report.matrix.cells import figures, legend
from insync.scenario.load import parse, source
from unit.repeat_rows import whole_repeat
from unit.run_folder import Story, run_json
from unit.verdict.made_up import cell, verdict, with_workload

TOY = Metric(
    "toys", metrics.PRODUCERS, says="toys that were played with", label="toys in all",
    better="higher", cell="toys",
)  # fmt: skip


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Metric:
    monkeypatch.setitem(METRICS, TOY.name, TOY)
    return TOY


@pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
def test_a_metric_says_what_its_consumers_need(metric: Metric) -> None:
    assert metric.requires in metrics.REQUIREMENTS
    assert metric.label or metric.gold
    assert bool(metric.of) == (metric.source is not None)
    assert metric.source or not metric.gold
    if metric.integrity:
        assert (metric.better, bool(metric.label)) == ("lower", True)


def test_the_verdict_computes_the_metrics_of_the_registry() -> None:
    run = with_workload(
        RunInfo.model_validate(run_json(Story(repeats=1))),
        transactions=RunTransactions(coordinators=(1,)),
        client_retries=False,
        groups=(RunGroup(protocol="classic", members=1),),
    )
    rows = whole_repeat(set(run.scenario.workload.leaders), run.partitions)
    found = _metrics(run, rows, Completeness(whole=True))
    live = liveness_metrics([], complete=True)
    assert {*found, *live} == set(metrics.of_verdict())
    assert set(live) == set(metrics.liveness())


def test_the_table_lists_the_registry() -> None:
    listed = re.findall(r"^\| `(.*?)` \|", metrics.as_markdown(), re.MULTILINE)
    assert listed == list(METRICS)


@pytest.mark.usefixtures("toy")
def test_a_scenario_may_bound_a_new_metric() -> None:
    scenario = parse(source("kip-501").replace("isr_shrinks", "toys", 1), "mine")
    assert scenario.expect["stock"]["toys"].min == 1


def test_a_scenario_may_not_bound_what_is_no_metric_or_only_in_the_tables() -> None:
    for name in ("toys", "p99_ms"):
        with pytest.raises(InputError, match=f"expect.stock.{name}: '{name}', expected 'isr_shr"):
            parse(source("kip-501").replace("isr_shrinks", name, 1), "mine")


@pytest.mark.usefixtures("toy")
def test_the_verdict_and_the_report_have_a_new_metric() -> None:
    repeat = RepeatFacts(complete=True, metrics={**dict.fromkeys(metrics.of_verdict()), "toys": 3})
    arm = arm_figures((repeat,))
    assert arm["toys"] == [3]
    found = verdict(arms={"stock": arm})
    assert sections.side_by_side(found).differ.rows == [["toys in all", "3"]]
    assert "toys in all" in sections.results(found).columns


@pytest.mark.usefixtures("toy")
def test_a_matrix_shows_a_new_metric_and_its_worst_value_by_its_direction() -> None:
    found = cell(repeats=3, figures=["toys"], toys=[5, 2, 9])
    assert legend(found.figures) == "toys in all"
    assert figures(found) == "2 (5)"
