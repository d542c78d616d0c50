"""`make results`: which commands of docs/results.md it runs, and which it leaves out."""

from pathlib import Path

import pytest

from programs import results


def test_commands_are_those_of_the_page_without_comments_and_folders() -> None:
    page = "text\n```\ninsync run a \\\n  --repeat 2   # again\nPYTHONPATH=x python -m y\n"
    page += "insync fuzz --out DIR --seeds 1-2\n```\n"
    assert list(results.commands(page)) == [
        ["run", "a", "--repeat", "2"],
        ["fuzz", "--seeds", "1-2"],
    ]


def test_every_command_of_the_page_has_a_folder_of_its_own() -> None:
    found = list(results.commands(results.PAGE.read_text(encoding="utf-8")))
    assert len({results.folder_of(each) for each in found}) == len(found) >= 8


def test_what_has_a_result_is_left_out_and_what_was_cut_short_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "insync"
    script.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/asked\nexit 1\n')
    script.chmod(0o755)
    monkeypatch.setattr(results, "INSYNC", script)
    for name in ("new", "cut", "done"):
        (tmp_path / name).mkdir()
    (tmp_path / "cut" / "campaign.json").touch()
    (tmp_path / "done" / "verdict.json").touch()
    codes = [results.run(["fuzz"], tmp_path / name) for name in ("new", "cut", "done")]
    assert codes == [1, 1, 0]
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == [f"fuzz --out {tmp_path}/new", f"fuzz --resume --out {tmp_path}/cut"]


def test_two_commits_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "commit").write_text("other\n")
    assert results.main(tmp_path) == 2
    assert "expected a new folder" in capsys.readouterr().out
