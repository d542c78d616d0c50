"""An interrupted recording is continued: cells that came to their end are not run again."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from insync.brokers.kafka.versions import pinned
from insync.engine.recording import Recording, record
from insync.engine.worker import TASKS, progress_file
from insync.events.run_info import load_run
from insync.progress import Progress
from insync.run.plan import Plan, Tools
from insync.scenario.load import load
from unit.engine.cells import cell

WORKER = f"""#!{sys.executable}
import json, sys
task = json.load(open(sys.argv[3]))
progress = open(sys.argv[3].replace(".json", ".progress.jsonl"), "a")
for cell in task["cells"]:
    name = cell["scenario"]["name"]
    print(json.dumps({{"ended": name}}), file=progress)
    print(task["cells"][0]["arm"], name, file=open({{ran!r}}, "a"))
"""


def plan(name: str, out: Path) -> Plan:
    scenario = load("freeze").model_copy(update={"name": name, "arms": ("stock", "read")})
    kafka = cast("Any", SimpleNamespace(version="4.3.1", release=pinned("4.3.1")))
    java = cast("Any", SimpleNamespace(description="Java 17"))
    cells = [cell(scenario, out / "4.3.1" / name, arm) for arm in scenario.arms]
    return Plan(cells=cells, tools=Tools(java=java, kafka=kafka))


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace the workers by a script; return the file in which it says what it ran."""
    file, script = tmp_path / "ran", tmp_path / "worker"
    script.write_text(WORKER.replace("{ran!r}", repr(str(file))))
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    return file


def test_only_cells_without_an_end_are_run_again(tmp_path: Path, ran: Path) -> None:
    out = tmp_path / "out"
    runs = [plan("a", out), plan("b", out), plan("c", out)]
    before = progress_file(out / "4.3.1" / TASKS, "stock")
    before.parent.mkdir(parents=True)
    before.write_text('{"ended": "a"}\n{"broken": "b", "why": "x", "by_fault": false}\n')
    left = runs[0].out / "events" / "read" / "phases.jsonl"
    left.parent.mkdir(parents=True)
    left.touch()
    (runs[0].out / "run.json").write_text(json.dumps({"begun": "before"}))
    assert record([Recording.of(out, runs)], Progress(), 1) == []
    assert ran.read_text().splitlines() == ["stock c", "read a", "read b", "read c"]
    assert not left.exists(), "what was cut short is recorded again"
    kept = json.loads((runs[0].out / "run.json").read_text())
    assert kept["begun"] == "before"
    assert kept["finished_ms"] > 0
    assert not load_run(runs[1].out).finished, "an error cut it short"
    assert load_run(runs[2].out).finished
    assert record([Recording.of(out, runs)], Progress(), 1) == []
    assert len(ran.read_text().splitlines()) == 4
