"""A stranger's campaign, made in this file alone, has all that the engine gives to campaigns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from insync.cli.results import show_campaign
from insync.engine.campaign import (
    DONE,
    Campaign,
    Done,
    Options,
    Place,
    campaign_folder,
    read_done,
    run_campaign,
)
from insync.errors import InputError, InsyncError
from insync.events.schema import CAMPAIGN, JUNIT, REPORT, VERDICT
from insync.outcome import Outcome
from insync.progress import Progress
from insync.result import Result


@dataclass(frozen=True)
class Throw:
    number: int
    die: str

    @property
    def name(self) -> str:
        return f"{self.number}/{self.die}"


class Dice(Campaign[Throw]):
    """Throws two dice some times; a throw of a double is repeated once."""

    name = "dice"
    says = "throws of two dice"
    part = "check"
    batch = 2

    def __init__(self, throws: int, sides: int = 6) -> None:
        self.throws, self.sides = throws, sides
        self.ran: list[list[str]] = []
        self.slow = 0.0
        self.interrupt_at: str | None = None

    def asked(self) -> Mapping[str, Any]:
        return {"sides": self.sides}

    def cells(self, done: Done) -> Iterator[Throw]:
        for number in range(self.throws):
            yield Throw(number, "red")
            yield Throw(number, "blue")
            if f"{number}/red" in done and done[f"{number}/red"] == done.get(f"{number}/blue"):
                yield Throw(number, "green")

    def group(self, cell: Throw) -> str:
        return str(cell.number)

    def run(self, cells: Sequence[Throw], place: Place) -> Iterator[tuple[str, int]]:
        assert place.folder.is_dir()
        self.ran.append([])
        for cell in cells:
            if cell.name == self.interrupt_at:
                raise KeyboardInterrupt
            self.ran[-1].append(cell.name)
            yield cell.name, cell.number if cell.die == "red" else cell.number % 3

    def seconds(self, cells: Sequence[Throw]) -> float:
        return self.slow * len(cells)

    def judge(self, done: Done) -> Result:
        found = f"{sum(done.values())} in all"
        return Result(of="dice", children=(Result(of="sum", found=found, outcome=Outcome.PASS),))


def kept(folder: Path) -> tuple[str, str]:
    found = Result.read(folder / VERDICT, "a dice")
    return found.outcome, "; ".join(each.found for each in found.children)


def thrown(dice: Dice, options: Options) -> Result:
    return run_campaign(dice, options, Progress(), campaign_folder(dice, options))


def test_cells_run_in_batches_and_results_may_make_more_cells(tmp_path: Path) -> None:
    dice = Dice(4)
    options = Options(out=tmp_path / "out")
    assert thrown(dice, options).outcome == "pass"
    assert dice.ran == [
        ["0/red", "0/blue", "1/red", "1/blue"],
        ["0/green", "1/green"],
        ["2/red", "2/blue", "3/red", "3/blue"],
        ["2/green"],
    ]
    assert kept(tmp_path / "out") == ("pass", "12 in all")
    assert len(read_done(tmp_path / "out")) == 11


def test_its_command_is_a_call_that_leaves_a_page_and_test_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert show_campaign(Dice(4), Options(out=out), as_json=False) == 0
    files = {each.name for each in out.iterdir()}
    assert files == {CAMPAIGN, DONE, VERDICT, REPORT, JUNIT}
    assert "throws of two dice" in (out / REPORT).read_text(encoding="utf-8")
    shown = capsys.readouterr().out
    assert "sum" in shown
    assert f"pass: 1 check passed\npage: {out / REPORT}" in shown


def test_an_interrupted_campaign_is_resumed_where_it_was(tmp_path: Path) -> None:
    dice = Dice(4)
    dice.interrupt_at = "3/red"
    options = Options(out=tmp_path / "out")
    with pytest.raises(KeyboardInterrupt):
        thrown(dice, options)
    assert kept(tmp_path / "out") == ("unknown", "3 in all; 2 are left")
    with (tmp_path / "out" / "cells.jsonl").open("a") as file:
        file.write('{"cell": "3/re')  # the line was cut by a kill
    again = Dice(4)
    assert thrown(again, replace(options, resume=True)).outcome == "pass"
    assert again.ran == [["2/green", "3/red", "3/blue"]]
    more = Dice(5)
    thrown(more, replace(options, resume=True))
    assert more.ran == [["4/red", "4/blue"]]


def test_shards_have_each_group_once(tmp_path: Path) -> None:
    shards = [Dice(5) for _ in range(2)]
    for number, dice in enumerate(shards, 1):
        thrown(dice, Options(out=tmp_path / str(number), shard=f"{number}/2"))
    ran = [{name for batch in dice.ran for name in batch} for dice in shards]
    assert {name.partition("/")[0] for name in ran[0]} == {"0", "2", "4"}
    whole = Dice(5)
    thrown(whole, Options(out=tmp_path / "whole"))
    assert ran[0] | ran[1] == {name for batch in whole.ran for name in batch}
    assert not ran[0] & ran[1]


def test_when_the_time_is_over_one_group_has_run_and_the_result_is_there(tmp_path: Path) -> None:
    dice = Dice(5)
    dice.slow = 3600
    options = Options(out=tmp_path / "out", minutes=1)
    thrown(dice, options)
    assert dice.ran == [["0/red", "0/blue"]]
    assert kept(tmp_path / "out") == ("unknown", "0 in all; 5 are left")
    thrown(dice, replace(options, resume=True))
    assert len(dice.ran) == 1, "nothing is begun that would end later"


def test_a_cell_without_a_result_is_an_error(tmp_path: Path) -> None:
    class Silent(Dice):
        def run(self, cells: Sequence[Throw], place: Place) -> Iterator[tuple[str, int]]:
            return iter(())

    with pytest.raises(InsyncError, match="no result of 0/red, 0/blue"):
        thrown(Silent(1), Options(out=tmp_path / "out"))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (Options(shard="3/2"), "--shard '3/2': expected I/N"),
        (Options(shard="0/2"), "--shard '0/2': expected I/N"),
        (Options(shard="one"), "--shard 'one': expected I/N"),
        (Options(shard="6/6"), "--shard 6/6: has none of 5"),
        (Options(minutes=0), "--minutes 0: expected more than 0"),
        (Options(minutes=float("nan")), "--minutes nan: expected more than 0"),
        (Options(resume=True), "--resume: expected --out DIR"),
        (Options(out=Path("used"), resume=True), r"no campaign\.json in it"),
        (Options(out=Path("used")), "--out .*used: not empty"),
    ],
)
def test_bad_options_are_refused_before_the_first_file(
    options: Options, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("used").mkdir()
    Path("used/file").touch()
    with pytest.raises(InputError, match=problem):
        campaign_folder(Dice(5), options)
    assert [each.name for each in Path.cwd().iterdir()] == ["used"]


@pytest.mark.parametrize(
    ("at_once", "problem"),
    [(0, "--side-by-side 0: expected at least 1"), (65, "--side-by-side 65: expected at most 64")],
)
def test_too_many_arms_at_a_time_are_refused(at_once: int, problem: str) -> None:
    dice = Dice(5)
    dice.at_once = at_once
    with pytest.raises(InputError, match=problem):
        campaign_folder(dice, Options())


def test_only_the_same_campaign_is_resumed(tmp_path: Path) -> None:
    options = Options(out=tmp_path / "out", shard="1/2")
    thrown(Dice(2), options)
    again = replace(options, resume=True)
    with pytest.raises(InputError, match="its sides: 6, now 8; expected the same"):
        campaign_folder(Dice(2, sides=8), again)
    with pytest.raises(InputError, match="its shard: 1/2, now none"):
        campaign_folder(Dice(2), replace(again, shard=None))

    class Cards(Dice):
        name = "cards"

    with pytest.raises(InputError, match="out: a dice, expected a cards"):
        campaign_folder(Cards(2), again)
    assert campaign_folder(Dice(2), again) == tmp_path / "out"
