"""Texts for users and readers have none of the phrases and patterns that readers stumbled over."""

import re
import subprocess
from collections.abc import Iterator
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
#: What may follow "is no": these are plain.
FINE = ("longer", "more", "less", "later", "higher", "finer", "other", "such")
#: Patterns, each with what replaces it.
PATTERNS = {
    "is not a ...": re.compile(
        rf"(?<![Tt]here )\b(?:is|are|was|were) no (?!(?:{'|'.join(FINE)})\b)[a-z]+"
    ),
    "for a ... it has": re.compile(
        r"\b[Ss]ince an? (?:second|minute|hour|while|moment|long time)\b"
    ),
    "except": re.compile(r"\bbut for\b"),
    "otherwise": re.compile(r"(?:^|[.:;] |[\"(>])Else\b|[:;] else [a-z]"),
    "invalid": re.compile(r"\bthat (?:is|are) none\b"),
    "the name of the thing": re.compile(r"(?<!so )\bthat one\b[^.;:|]*(?<!so )\bthat one\b"),
}
READ = (
    "*.md", "*.java", "*.py", "*.toml", "*.gradle", "Makefile", "*.j2", "*.js", "*.yml", "*.sh",
    ":!tests/unit/test_language.py",
)  # fmt: skip
#: Where a sentence goes on: in the next line, of a comment too, or in the next part of a string.
LINE_BREAK = re.compile(r'(?:"\n[ \t]*f?"|\n[ \t]*(?:\*(?!/)|//|#+(?= ))?)[ \t]*')


def _found(folder: Path, *options: str) -> list[str]:
    phrases = [option for phrase in BANNED for option in ("-e", phrase)]
    git = ["git", "grep", "-nwiF", *options, *phrases, "--", *READ]
    return subprocess.run(
        git, cwd=folder, capture_output=True, text=True, check=False
    ).stdout.splitlines()


def _patterns_in(text: str) -> Iterator[str]:
    """Yield what to write and what was found, also where a sentence goes on in the next line."""
    joined = re.sub(r" +", " ", LINE_BREAK.sub(" ", text))
    for plainer, pattern in PATTERNS.items():
        for found in pattern.finditer(joined):
            around = joined[max(0, found.start() - 30) : found.end() + 30]
            yield f"{plainer}: {around}"


def _files() -> list[Path]:
    git = ["git", "ls-files", "--", *READ]
    done = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def test_no_text_has_a_banned_phrase() -> None:
    assert _found(ROOT) == []


def test_no_text_has_an_odd_pattern() -> None:
    found = {
        str(file.relative_to(ROOT)): odd
        for file in _files()
        if (odd := list(_patterns_in(file.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_the_check_finds_a_banned_phrase(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("The clock stands still.\nIt calms down.\n")
    assert _found(tmp_path, "--no-index") == ["page.md:1:The clock stands still."]


def test_the_check_finds_each_pattern() -> None:
    odd = (
        "That is no fault. All but\n    # for one. It holds since a minute. Else it waits."
        ' A key that is"\n    f" none. Of two, that one waits for that one.'
    )
    plain = (
        "There is no fault, it is no longer slow, so that one fetch waits for that one."
        " Or else it ends. Since a fetch ended it waits."
    )
    assert [each.partition(":")[0] for each in _patterns_in(odd)] == list(PATTERNS)
    assert list(_patterns_in(plain)) == []
