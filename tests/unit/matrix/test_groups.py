"""Which scenarios a matrix runs: those of every site, or those of a group."""

import pytest

from insync import metrics
from insync.cli.app import invoke
from insync.errors import InputError
from insync.matrix.campaign import Matrix
from insync.matrix.groups import MatrixRequest, entries
from insync.scenario.groups import DEFAULT, groups
from insync.scenario.load import builtin_names, load

GROUPS = groups()


def test_the_stall_sites_run_by_default() -> None:
    assert [entry.scenario for entry in entries(None)] == list(GROUPS["sites"].scenarios)
    assert next(iter(GROUPS)) == DEFAULT == "sites"


@pytest.mark.parametrize("name", GROUPS)
def test_the_scenarios_of_a_group_exist_and_are_valid_at_its_scale(name: str) -> None:
    found = entries([name])
    assert [entry.scenario for entry in found] == list(GROUPS[name].scenarios)
    assert {entry.group for entry in found} == {GROUPS[name]}
    for entry in found:
        load(entry.scenario, entry.group.scale_of(entry.scenario))
    assert set(GROUPS[name].full_size) <= set(GROUPS[name].scenarios)
    assert set(GROUPS[name].figures) <= {
        name for name, each in metrics.METRICS.items() if each.cell
    }
    assert set(GROUPS[name].curves) <= set(metrics.METRICS)


def test_scenarios_that_client_pauses_would_hide_run_unscaled() -> None:
    scales = {each: GROUPS["step-down"].scale_of(each) for each in ("all-slow", "transactions")}
    assert scales == {"all-slow": 1.0, "transactions": 0.5}


def test_the_number_of_parallel_arms_is_the_smallest_of_the_groups() -> None:
    def at_once(*only: str, asked: int | None = None) -> int:
        return Matrix(MatrixRequest(only=only, at_once=asked)).at_once

    assert (at_once("kafka-7104"), at_once("freeze"), at_once("kafka-7104", "freeze")) == (8, 2, 2)
    assert at_once("kafka-7104", asked=1) == 1


def test_groups_and_scenarios_may_be_requested_together_in_a_fixed_order() -> None:
    found = [entry.scenario for entry in entries(["step-down", "freeze", "step-down-send"])]
    assert found == ["freeze", *GROUPS["step-down"].scenarios]


def test_a_scenario_of_no_group_is_requested_by_its_name_and_comes_last() -> None:
    found = entries(["switched-on", "freeze"])
    assert [entry.scenario for entry in found] == ["freeze", "switched-on"]
    assert found[-1].group.scale_of("switched-on") == 1
    assert {entry.scenario for name in GROUPS for entry in entries([name])} < set(builtin_names())


def test_a_scenario_is_in_one_group() -> None:
    names = [name for group in GROUPS.values() for name in group.scenarios]
    assert len(set(names)) == len(names)
    assert set(names) <= set(builtin_names())


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        InputError,
        match=r"--only kip501: expected one of .*, kip-501, .*, step-down \(did you mean"
        r" 'kip-501'\?\)$",
    ):
        entries(["kip501"])


def test_the_help_names_every_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["matrix", "--help"]) == 0
    printed = "".join(capsys.readouterr().out.split()).replace("│", "")
    assert f"orgroups:{','.join(GROUPS)}." in printed
