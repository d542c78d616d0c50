"""An interrupted recording is continued; records are completed when all arms have ended."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from insync.engine import scenarios
from insync.engine.scenarios import record
from insync.engine.worker import progress_file
from insync.events.run_info import load_run
from insync.progress import Progress
from insync.run.plan import Plan
from insync.scenario.load import load
from unit.engine.cells import cell, tools

WORKER = f"""#!{sys.executable}
import json, sys
task = json.load(open(sys.argv[3]))
progress = open(sys.argv[3].replace(".json", ".progress.jsonl"), "a")
for cell in task["cells"]:
    name = cell["scenario"]["name"]
    print(json.dumps({{"ended": name}}), file=progress)
    print(task["cells"][0]["arm"], name, file=open({{ran!r}}, "a"))
"""


def plan(name: str, out: Path, *arms: str) -> Plan:
    own = {"name": name, "arms": arms or ("stock", "read")}
    scenario = load("freeze").model_copy(update=own)
    cells = [cell(scenario, out / "4.3.1" / name, arm) for arm in scenario.arms]
    return Plan(cells=cells, tools=tools())


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
    runs.append(replace(plan("d", out), skip="no cgroup"))
    before = progress_file(out / "4.3.1", "stock")
    before.parent.mkdir(parents=True)
    before.write_text('{"ended": "a"}\n{"broken": "b", "why": "x", "by_fault": false}\n')
    left = runs[0].out / "events" / "read" / "phases.jsonl"
    left.parent.mkdir(parents=True)
    left.touch()
    (runs[0].out / "run.json").write_text(json.dumps({"begun": "before"}))
    assert record({out: runs}, Progress(), 1) == []
    assert ran.read_text().splitlines() == ["stock c", "read a", "read b", "read c"]
    assert not left.exists(), "what was cut short is recorded again"
    kept = json.loads((runs[0].out / "run.json").read_text())
    assert kept["begun"] == "before"
    assert kept["finished_ms"] > 0
    assert not load_run(runs[1].out).finished, "an error cut it short"
    assert load_run(runs[2].out).finished
    assert record({out: runs}, Progress(), 1) == []
    assert len(ran.read_text().splitlines()) == 4


def test_a_run_is_opened_with_its_first_arm_and_closed_with_its_last(
    tmp_path: Path, ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def opened(run: Plan) -> None:
        done.append(f"open {run.scenario.name}, {len(lines())} cells were run")
        run.out.mkdir(parents=True)
        (run.out / "run.json").touch()

    def lines() -> list[str]:
        return ran.read_text().splitlines() if ran.exists() else []

    monkeypatch.setattr(scenarios, "open_run", opened)
    monkeypatch.setattr(scenarios, "close_run", lambda out: done.append(f"close {out.name}"))
    out = tmp_path / "out"
    record({out: [plan("a", out, "stock", "read"), plan("b", out, "stock")]}, Progress(), 1)
    assert done == ["open a, 0 cells were run", "open b, 0 cells were run", "close b", "close a"]
    assert lines() == ["stock a", "stock b", "read a"]
