"""A cell as a file: another process or machine gets what was resolved, and resolves nothing."""

from pathlib import Path

import pytest

from insync.run.cell import CellSpec
from insync.run.request import Existing
from insync.scenario.load import builtin_names, load, narrow, on_version, on_zookeeper
from unit.engine.cells import cell


@pytest.mark.parametrize("name", builtin_names())
def test_every_scenario_survives_writing_and_reading(name: str) -> None:
    scenario = load(name)
    last = narrow(scenario, arms=scenario.arms[-1:], repeats=2)
    for resolved in (last, on_zookeeper(last), on_version(last, "3.9.2")):
        spec = cell(resolved, Path("out"), resolved.arms[0], seed=7)
        assert CellSpec.model_validate_json(spec.model_dump_json()) == spec


def test_a_cell_has_its_topics_on_an_existing_cluster_with_a_prefix() -> None:
    spec = cell(
        "freeze", Path("out"), existing=Existing(bootstrap="a:1"), brokers=(4, 5, 6),
        topic_prefix="mine-",
    )  # fmt: skip
    assert spec.topics[0] == "mine-freeze-r0"
    assert len(spec.topics) == spec.scenario.repeats
    assert CellSpec.model_validate_json(spec.model_dump_json()) == spec


def test_only_an_arm_with_the_agent_carries_it_unless_it_is_a_race() -> None:
    assert [cell("freeze", Path("out"), arm).carries_agent for arm in ("stock", "read")] == [
        False, True,
    ]  # fmt: skip
    assert cell("kafka-7104", Path("out")).carries_agent, "for the pause points"
