"""Configs of a running broker are updated and deleted again: the requests and the evidence."""

import re
from collections.abc import Mapping

import pytest

from fault_runs import planned
from insync.errors import InputError
from insync.scenario.load import parse, source
from unit.faults.evidence import acted

SETTINGS = {"a": "1", "b": "true"}


class Broker:
    """Keeps what it is asked to keep, except configs that it ignores."""

    def __init__(self, ignored: frozenset[str] = frozenset()) -> None:
        self.configs: dict[str, str] = {}
        self.ignored = ignored

    def update_configs(self, _: int, settings: Mapping[str, str | None]) -> None:
        for name, value in settings.items():
            if value is None:
                self.configs.pop(name, None)
            elif name not in self.ignored:
                self.configs[name] = value

    def configs_in_force(self, _: int, settings: Mapping[str, str]) -> int:
        return sum(self.configs.get(name) == value for name, value in settings.items())


def test_configs_are_set_and_deleted_at_the_end() -> None:
    broker = Broker()
    fault = planned(broker, "config-update", settings=SETTINGS)
    fault.prepare()
    assert broker.configs == {}
    fault.inject()
    assert broker.configs == SETTINGS
    fault.lift()
    fault.lift()
    assert broker.configs == {}
    figures = fault.evidence().figures
    assert figures.pop("in_force_ms") >= 0
    assert figures == {"updated": 2.0, "in_force": 2.0}


def test_a_config_that_the_broker_ignores_is_no_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insync.faults.kinds.config_update.IN_FORCE_WITHIN_S", 0.01)
    broker = Broker(ignored=frozenset({"b"}))
    line = acted(planned(broker, "config-update", settings=SETTINGS))
    assert line.figures == {"updated": 2.0, "in_force": 1.0}


def test_a_fault_that_was_never_injected_changes_nothing() -> None:
    broker = Broker()
    fault = planned(broker, "config-update", settings=SETTINGS)
    broker.configs = {"a": "0"}
    fault.lift()
    assert broker.configs == {"a": "0"}


@pytest.mark.parametrize("settings", ["{}", '{ "a" = 1 }', '"a"'])
def test_settings_are_a_table_of_texts(settings: str) -> None:
    text = re.sub("settings = {.*}", f"settings = {settings}", source("switched-on"), count=1)
    with pytest.raises(InputError, match=r"faults\[0\].settings"):
        parse(text, "mine.toml")
