"""Texts for users and readers have none of the phrases that readers stumbled over."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Old, figurative and inverted phrases. Add one only if plain words can always replace it.
BANNED = (
    "afresh",
    "anew",
    "asks whom",
    "begotten",
    "got no turn",
    "if need be",
    "in its hands",
    "in the leader's hands",
    "lest",
    "mended",
    "no business of",
    "none the wiser",
    "nought",
    "of its own accord",
    "of ours",
    "of theirs",
    "once more",
    "stands still",
    "the calm",
    "told of",
    "what this machine can do of it",
)
READ = ("*.md", "*.java", "*.py", "*.toml", "*.gradle", ":!tests/unit/test_language.py")


def _found(folder: Path, *options: str) -> list[str]:
    phrases = [option for phrase in BANNED for option in ("-e", phrase)]
    git = ["git", "grep", "-nwiF", *options, *phrases, "--", *READ]
    return subprocess.run(
        git, cwd=folder, capture_output=True, text=True, check=False
    ).stdout.splitlines()


def test_no_text_has_a_banned_phrase() -> None:
    assert _found(ROOT) == []


def test_the_check_finds_a_banned_phrase(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("The clock stands still.\nIt calms down.\n")
    assert _found(tmp_path, "--no-index") == ["page.md:1:The clock stands still."]
