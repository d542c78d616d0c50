"""`make results`: which commands of the pages it runs, and the tables that it writes into them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from insync.cli.app import invoke
from programs import results

PAGES = [(results.DOCS / name).read_text(encoding="utf-8") for name in ("results.md", "bugs.md")]
PAGE = """Text.

```
insync matrix --only a,b \\
  --repeat 2 --out DIR   # again
```

<!-- stalls: max_ack_gap_ms isr_shrinks -->
| old |
<!-- end -->

```
insync fuzz --seeds 1-2
```
"""


def cell(scenario: str, arm: str, *gaps_ms: float, kafka: str = "4.3.1") -> dict[str, Any]:
    return {
        "scenario": scenario, "arm": arm, "kafka": kafka, "outcome": "pass",
        "repeats": len(gaps_ms), "max_ack_gap_ms": gaps_ms, "isr_shrinks": [0] * len(gaps_ms),
    }  # fmt: skip


def filled(tmp_path: Path, *cells: dict[str, Any]) -> str:
    (tmp_path / "stalls").mkdir()
    (tmp_path / "stalls" / "matrix.json").write_text(json.dumps(cells))
    (tmp_path / "commit").write_text("0123456789abcdef\n")
    return results.filled(PAGE, tmp_path, tmp_path / "raw", "results")


def test_only_marked_commands_are_run_without_comments_and_folders() -> None:
    arguments = ["matrix", "--only", "a,b", "--repeat", "2"]
    metrics = ["max_ack_gap_ms", "isr_shrinks"]
    assert list(results.asked(PAGE)) == [results.Asked("stalls", arguments, metrics)]


def test_a_table_has_the_median_and_the_worst_of_each_cell_and_its_commit(tmp_path: Path) -> None:
    page = filled(tmp_path, cell("a", "stock", 2_000, 9_000, 1_000), cell("a", "read", 50, 60, 70))
    assert "| scenario | stock | read |\n|---|---|---|\n| `a` | 2.0 (9.0) / 0 (0) | 0.1" in page
    assert "| old |" not in page
    assert "the median of 3 repeats, and the worst.\n" in page
    assert "Commit 0123456789, [values](results/stalls.json)." in page
    assert page.startswith("Text.") and page.endswith("--seeds 1-2\n```\n")
    values = json.loads((tmp_path / "raw" / "stalls.json").read_text())
    assert values["commit"] == "0123456789abcdef"
    assert values["values"][0]["max_ack_gap_ms"] == [2_000, 9_000, 1_000]


def test_a_second_table_replaces_the_first(tmp_path: Path) -> None:
    page = filled(tmp_path, cell("a", "stock", 2_000))
    assert results.filled(page, tmp_path, tmp_path / "raw", "results") == page


def test_each_command_without_a_table_gets_its_own(tmp_path: Path) -> None:
    page = "".join(
        f"```\ninsync matrix --only {name}\n```\n\n<!-- {name}: isr_shrinks -->\n<!-- end -->\n"
        for name in ("a", "b")
    )
    (tmp_path / "commit").write_text("0123456789abcdef\n")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "matrix.json").write_text(json.dumps([cell(name, "stock", 1)]))
    made = results.filled(page, tmp_path, tmp_path / "raw", "results")
    assert [made.count(f"| `{name}` | 0 |") for name in ("a", "b")] == [1, 1]
    assert made.count(results.END) == 2


def test_a_row_of_several_versions_names_its_own(tmp_path: Path) -> None:
    page = filled(tmp_path, cell("a", "stock", 1), cell("a", "stock", 2, kafka="3.9.2"))
    assert "| `a`, 4.3.1 | 0.0 / 0 |\n| `a`, 3.9.2 |" in page


def test_a_command_without_a_result_leaves_its_table(tmp_path: Path) -> None:
    (tmp_path / "commit").write_text("0123456789abcdef\n")
    assert results.filled(PAGE, tmp_path, tmp_path / "raw", "results") == PAGE


def test_the_pages_that_it_writes_have_marked_commands_with_names_of_their_own() -> None:
    found = [each for text in PAGES for each in results.asked(text)]
    marks = sum(text.count(results.END) for text in PAGES)
    assert len({each.name for each in found}) == len(found) == marks >= 9


def test_no_marked_command_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insync.cli.results.run_campaign", lambda *_: 0)
    # That of bugs.md asks Maven for releases.
    for each in results.asked(PAGES[0]):
        assert invoke(each.arguments) == 0, each.name


def test_what_was_cut_short_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "insync"
    script.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/asked\nexit 1\n')
    script.chmod(0o755)
    monkeypatch.setattr(results, "INSYNC", script)
    for name in ("new", "cut"):
        (tmp_path / name).mkdir()
    (tmp_path / "cut" / "campaign.json").touch()
    codes = [results.run(results.Asked(name, ["fuzz"], []), tmp_path) for name in ("new", "cut")]
    assert codes == [1, 1]
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == [f"fuzz --out {tmp_path}/new", f"fuzz --resume --out {tmp_path}/cut"]


def test_a_page_that_was_written_is_no_change_of_its_commit(tmp_path: Path) -> None:
    git = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@b"]
    page, code = tmp_path / "docs" / "page.md", tmp_path / "code.py"
    page.parent.mkdir()
    page.touch()
    code.touch()
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True)
    commit = results.commit_of(tmp_path)
    page.write_text("a table")
    assert results.commit_of(tmp_path) == commit
    code.write_text("pass")
    assert results.commit_of(tmp_path) == commit.replace("\n", "-changed\n")


def test_two_commits_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "commit").write_text("other\n")
    assert results.main(tmp_path, [results.DOCS / "bugs.md"]) == 2
    assert "expected a new folder" in capsys.readouterr().out
