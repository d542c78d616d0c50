"""A new fault kind is one file: a scenario accepts it, a run makes it, the verdict judges it."""

import json
from pathlib import Path

from commands import run_python

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


def test_a_new_file_is_planned_injected_judged_listed_and_documented(tmp_path: Path) -> None:
    (tmp_path / "rain.py").write_text(RAIN, encoding="utf-8")
    done = run_python("-c", USE, tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "rain" in found.pop("silent")
    assert found == {
        "brokers": [2, 3],
        "refused": "mine.toml: faults[0].wind: unknown key, expected one of: broker, at_ms, for_ms,"
        " kind, drops, target, every_ms, times, ramp (did you mean 'kind'?)",
        "line": ["rain", 2, 1_000, {"drops": 12.0}],
        "judged": [],
        "dry": ["no evidence of the rain: drops was 0, expected at least 1"],
        "links": True,
        "row": {
            "kind": "rain", "does": "it rains", "mechanism": "a cloud", "clusters": ["local"],
            "evidence": "drops", "why_not": None,
        },
        "documented": True,
    }  # fmt: skip
