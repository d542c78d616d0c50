"""When the runs of a matrix begin and end in their records, whatever order their arms run in."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from insync.engine import recording as records
from insync.engine.worker import Task
from unit.engine.cells import named


class Book:
    """Run folders with an empty record; it keeps which were opened and closed, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        self.lines: list[str] = []
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(records, "open_run", self.open)
        monkeypatch.setattr(records, "close_run", self.close)

    def open(self, plan: Any) -> None:
        """Note that a run began."""
        self.lines.append(f"open {plan.out}")
        plan.out.mkdir(parents=True)
        (plan.out / "run.json").touch()

    def close(self, out: Path) -> None:
        """Note that a run ended."""
        self.lines.append(f"close {out}")


def run(kafka: str, name: str, *arms: str) -> Any:
    return SimpleNamespace(out=Path(kafka) / name, scenario=SimpleNamespace(name=name, arms=arms))


def task(kafka: str, arm: str, *names: str) -> Task:
    cells = tuple(named(name, Path(kafka) / name, arm, kafka=kafka) for name in names)
    return Task(cells=cells, folder=Path(kafka), home=Path(kafka) / arm)


def test_a_run_is_opened_with_its_first_arm_and_closed_with_its_last(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    book = Book(monkeypatch, tmp_path)
    kept = records.Records([run("1.1.0", "a", "stock", "both"), run("4.3.1", "a", "stock")])
    kept.begin(task("1.1.0", "stock", "a"))
    kept.begin(task("1.1.0", "both", "a"))
    kept.close({(Path("1.1.0/a"), "stock")})
    assert book.lines == ["open 1.1.0/a"]
    kept.begin(task("4.3.1", "stock", "a"))
    ended = {(Path("1.1.0/a"), "stock"), (Path("1.1.0/a"), "both")}
    kept.close(ended)
    kept.close(ended)
    assert book.lines == ["open 1.1.0/a", "open 4.3.1/a", "close 1.1.0/a"]


def test_a_run_with_an_unfinished_or_unstarted_arm_stays_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    book = Book(monkeypatch, tmp_path)
    kept = records.Records(
        [run("4.3.1", "a", "stock", "both"), run("4.3.1", "b", "stock"), run("1.1.0", "a", "stock")]
    )
    kept.begin(task("4.3.1", "stock", "a", "b"))
    kept.close({(Path("4.3.1/a"), "stock")})
    assert book.lines == ["open 4.3.1/a", "open 4.3.1/b"]
