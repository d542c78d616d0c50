"""Races: their scenarios, what each version is expected to do, and their metrics."""

from dataclasses import replace
from typing import Any

import pytest

from insync.analysis.verdict.repeat_facts import Completeness, _metrics
from insync.errors import InputError
from insync.events.run_info import RunInfo
from insync.metrics import METRICS
from insync.run.race import equal_and_committed
from insync.scenario.load import load, on_version, parse, source
from insync_bridge import OwnReplica
from unit.repeat_rows import whole_repeat
from unit.run_folder import Story, run_json

NAMES = ("kafka-7104", "kafka-7104-retention", "log-start-race")
HEALED = ("bound", "snapshot", "both")


@pytest.mark.parametrize("name", NAMES)
def test_no_arm_with_a_feature_may_lose_records(name: str) -> None:
    for kafka in ("1.1.0", "1.1.1", "3.9.2", "4.3.1"):
        scenario = on_version(load(name), kafka)
        for arm in HEALED:
            expected = scenario.expect[arm]
            for metric in ("fetchers_lost", "partitions_failed", "partitions_behind"):
                assert expected[metric].max == 0, (kafka, arm, metric)


def test_stock_fails_in_the_versions_known_to_have_the_bug() -> None:
    def stopped(name: str, kafka: str) -> tuple[float | None, float | None]:
        stock = on_version(load(name), kafka).expect["stock"]
        return stock["fetchers_lost"].min, stock["partitions_failed"].min

    assert stopped("kafka-7104", "1.1.0") == (1, None)
    assert stopped("kafka-7104-retention", "1.1.0") == (1, None)
    assert stopped("kafka-7104", "1.1.1") == stopped("kafka-7104", "4.3.1") == (None, None)
    assert stopped("log-start-race", "1.1.0") == stopped("log-start-race", "1.1.1") == (1, None)
    assert stopped("log-start-race", "3.9.2") == stopped("log-start-race", "4.3.1") == (None, 1)


def test_a_race_needs_its_two_partitions_on_one_leader() -> None:
    text = source("kafka-7104").replace("leaders = [1, 1]", "leaders = [1, 2]")
    with pytest.raises(InputError, match=r"workload.leaders: \[1, 2\], expected \[1, 1\]"):
        parse(text, "mine")


def test_a_race_waits_for_brokers_that_do_not_know_its_topic_yet() -> None:
    own = OwnReplica(log_start_offset=0, high_watermark=5, leo=5)
    assert equal_and_committed([own, own, own])
    assert not equal_and_committed([own, None, own])
    assert not equal_and_committed([own, own, replace(own, leo=6)])
    assert not equal_and_committed([replace(own, leo=6)] * 3)


def replica(broker: int, partition: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "broker": broker, "partition": partition, "samples": 9, "start_above_end": 0,
        "start_above_watermark": 0, "log_start_offset": 5, "leo": 9, "fetchers_before": 1,
        "fetchers_after": 1, "failed": 0, "put_right": 0, **more,
    }  # fmt: skip


def figures(*rows: dict[str, Any]) -> dict[str, float | None]:
    run = RunInfo.model_validate(run_json(Story(repeats=1)))
    tables = {**whole_repeat({1}, run.partitions), "raced_replicas": [*rows]}
    found = _metrics(run, tables, Completeness(whole=True))
    return {name: value for name, value in found.items() if METRICS[name].requires == "race"}


def test_a_dead_fetcher_and_its_lagging_replicas_are_counted() -> None:
    dead = {"fetchers_after": 0, "leo": 4}
    found = figures(
        replica(1), replica(1, 1), replica(2, **dead), replica(2, 1, **dead), replica(3),
        replica(3, 1),
    )  # fmt: skip
    assert (found["fetchers_lost"], found["partitions_behind"]) == (1, 2)


def test_a_log_with_an_earlier_start_offset_counts_as_behind() -> None:
    found = figures(replica(1), replica(2, log_start_offset=0, failed=1), replica(3))
    assert (found["partitions_behind"], found["partitions_failed"]) == (1, 1)


def test_the_agents_corrections_are_counted_once_per_broker() -> None:
    found = figures(replica(2, put_right=3), replica(2, 1, put_right=3), replica(3, put_right=1))
    assert found["starts_put_right"] == 4


def test_a_race_without_an_end_has_no_figures() -> None:
    assert figures(replica(1, fetchers_after=None)) == {}
    assert figures() == {}
