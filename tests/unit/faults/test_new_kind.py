"""A new fault kind is one file: a scenario accepts it, a run makes it, the verdict judges it."""

import json
import subprocess
import sys
from typing import Any

import pytest

# The file as a contributor writes it, into faults/kinds/rain.py.
RAIN = '''
from typing import Literal

from insync.events.schema import FaultLine
from insync.faults.base import Fault
from insync.faults.kind import FaultKind, Requirements, Tags, KindWords, always, counted
from insync.faults.spec import Lasting


class Rain(Lasting):
    """It rains on the broker."""

    kind: Literal["rain"]
    drops: int = 3


class RainFault(Fault[Rain]):
    def inject(self) -> None:
        self.window.begin()

    def evidence(self) -> FaultLine:
        return self.line(500.0, {"drops": self.spec.drops * len(self.context.leaders)})


KIND = FaultKind(
    spec=Rain,
    words=KindWords(does="it rains", mechanism="a cloud", evidence="drops"),
    probes={"local": always},
    inject=RainFault,
    requires=lambda spec, _: Requirements(links=True),
    missing=counted("drops"),
    tags=Tags(stops_following=True),
)
'''

# Run in a separate process, whose registry finds the file like the others.
USE = """
import json, sys

from insync.faults import kinds

kinds.__path__.append(sys.argv[1])

from insync.analysis.verdict.facts import FaultFact
from insync.analysis.verdict.invalid_reasons import missing_evidence
from insync.cli.faults import catalogue
from insync.errors import InputError
from insync.events.run_info import PlannedFault
from insync.faults.registry import as_markdown
from insync.faults.registry import fault_of, tagged
from insync.faults.base import FaultContext
from insync.run.requirements import needs
from insync.scenario.load import parse, source

FAULT = '[[faults]]\\nkind = "rain"\\ntarget = "followers of 0"\\nat_ms = 3_000\\nfor_ms = 1_000\\n'
text = source("kip-501").partition("[[faults]]")[0]
scenario = parse(text + FAULT, "mine.toml")
try:
    parse(text + FAULT + "wind = 1\\n", "mine.toml")
except InputError as error:
    refused = str(error)
spec, leaders = scenario.faults[0], scenario.workload.leaders
at = FaultContext.of(spec, arm="stock", repeat=0, topic="t", leaders=leaders, io_threads=4)
fault = fault_of(spec, at, None)
fault.prepare(), fault.inject(), fault.lift()
line = fault.evidence()
planned = PlannedFault.model_validate(scenario.as_dict()["faults"][0])


def judged(**figures):
    fact = FaultFact(line.fault, "", "", line.broker, (), 0, 0.0, 0.0, line.acted_ms, figures)
    return list(missing_evidence(planned, fact, "rain"))


print(json.dumps({
    "brokers": [each.broker for each in scenario.faults],
    "refused": refused,
    "line": [line.fault, line.broker, line.planned_ms, line.figures],
    "judged": judged(**line.figures),
    "dry": judged(drops=0.0),
    "links": needs(scenario).links,
    "row": next(row for row in catalogue("local") if row["kind"] == "rain"),
    "documented": "| `rain` | `drops` | it rains | a cloud | drops |" in as_markdown(),
    "silent": tagged("stops_following"),
}))
"""


@pytest.fixture(scope="module")
def rain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Add the kind and use it in every part of the harness."""
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "rain.py").write_text(RAIN, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", USE, folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_scenario_may_plan_it_with_every_option_of_faults(rain: dict[str, Any]) -> None:
    assert rain["brokers"] == [2, 3]
    assert rain["refused"] == (
        "mine.toml: faults[0].wind: unknown key, expected one of: broker, at_ms, for_ms, kind,"
        " drops, target, every_ms, times, ramp (did you mean 'kind'?)"
    )


def test_a_run_meets_its_requirements_and_injects_it(rain: dict[str, Any]) -> None:
    assert rain["links"]
    assert rain["line"] == ["rain", 2, 1_000, {"drops": 12.0}]


def test_the_verdict_judges_it_by_its_own_rule(rain: dict[str, Any]) -> None:
    assert rain["judged"] == []
    assert rain["dry"] == ["no evidence of the rain: drops was 0, expected at least 1"]


def test_it_is_listed_documented_and_found_by_its_tags(rain: dict[str, Any]) -> None:
    assert rain["row"] == {
        "kind": "rain", "does": "it rains", "mechanism": "a cloud", "clusters": ["local"],
        "evidence": "drops", "why_not": None,
    }  # fmt: skip
    assert rain["documented"]
    assert "rain" in rain["silent"]
