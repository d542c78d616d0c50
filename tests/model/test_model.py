"""Compares the agent with a plain reference over random histories."""

from collections.abc import Iterator

import pytest

from model.driver import AGENT, Driver, started
from model.machine import EXAMPLES, explore


@pytest.fixture(scope="module")
def woven(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    with started(tmp_path_factory.mktemp("woven"), agent=AGENT) as driver:
        yield driver


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    with started(tmp_path_factory.mktemp("stock"), agent=None) as driver:
        yield driver


@pytest.fixture(scope="module")
def patched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    with started(tmp_path_factory.mktemp("patched"), agent=None, patched=True) as driver:
        yield driver


@pytest.mark.parametrize("scope", ["read", "request"])
def test_the_agent_follows_the_rules_of_its_scope(woven: Driver, scope: str) -> None:
    explore(woven, scope, scope, EXAMPLES // 2)


def test_with_the_feature_off_the_leader_follows_kafkas_rule(woven: Driver) -> None:
    explore(woven, "off", "off", EXAMPLES // 4)


def test_without_the_agent_the_leader_follows_kafkas_rule(stock: Driver) -> None:
    explore(stock, "off", "off", EXAMPLES // 4)


@pytest.mark.long
@pytest.mark.parametrize(("scope", "follows"), [("read", "patch"), ("off", "off")])
def test_the_source_patch_follows_the_same_rules_without_the_agent(
    patched: Driver, scope: str, follows: str
) -> None:
    explore(patched, scope, follows)
