"""What faults leave as evidence, what their kinds say of it, and scenarios with one fault."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from fault_runs import fault_tables
from insync.errors import InputError
from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault
from insync.faults.registry import KINDS
from insync.scenario.load import parse, source


@dataclass(frozen=True)
class Seen:
    figures: Mapping[str, float]
    acted_ms: float = 100.0
    calls_held: int = 0


def acted(fault: Fault[Any]) -> FaultLine:
    """Prepare a fault, inject it and lift it at once, and again; return its evidence."""
    fault.prepare()
    fault.inject()
    fault.lift()
    fault.lift()
    return fault.evidence()


def lacks(kind: str, figures: Mapping[str, float], **keys: Any) -> str | None:
    """Return what these figures do not show of a fault with these keys; None if they show it."""
    plan = PlannedFault.model_validate({"kind": kind, "broker": 1, "for_ms": 100, **keys})
    return KINDS[kind].missing(plan, Seen(figures))


def alone(kind: str, **keys: Any) -> str:
    """Return the scenario file of KIP-501's case, with this fault in place of its own."""
    fault = {"kind": kind, "broker": 1, "at_ms": 3_000, "for_ms": 1_000, **keys}
    return source("kip-501").partition("[[faults]]")[0] + fault_tables([fault])


def refusal(text: str) -> str:
    """Return the one line by which a scenario file is refused."""
    with pytest.raises(InputError) as error:
        parse(text, "mine.toml")
    assert "\n" not in str(error.value)
    return str(error.value)
