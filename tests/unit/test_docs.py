"""Links and pictures of the repository's Markdown resolve, and its texts are plain.

They have none of the phrases and patterns that readers stumbled over.
"""

import re
import runpy
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
WIDEST = 160
MOST_LINES = 5_000
EXTERNAL = ("http://", "https://", "mailto:")


def _files(*which: str) -> list[Path]:
    git = ["git", "ls-files", *which]
    done = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def _pages() -> list[Path]:
    return _files("--cached", "--others", "--exclude-standard", "*.md")


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ +(.+?) *#*$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {_anchor(heading) for heading in headings}


def _broken(page: Path) -> list[str]:
    text = CODE.sub("", FENCE.sub("", page.read_text()))
    found = []
    for link in LINK.findall(text):
        if link.startswith(EXTERNAL):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", _pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    assert _broken(page) == []


def test_pages_named_in_code_and_text_exist() -> None:
    git = ["git", "grep", "-ohE", r"\bdocs/[A-Za-z0-9_/-]+\.(md|png)\b"]
    named = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert named
    assert {name for name in named if not (ROOT / name).is_file()} == set()


def test_the_check_finds_broken_links(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# One `two`, three\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md) [b](other.md#one-two-three) [c](#here)\n## Here\n`[d](code.md)`\n"
        "```\n[e](fence.md)\n```\n[f](gone.md) [g](other.md#gone) ![h](gone.png) [i](#gone)\n"
    )
    assert _broken(page) == ["gone.md", "other.md#gone", "gone.png", "#gone"]


def test_every_page_of_docs_is_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {
        (index.parent / link.partition("#")[0]).resolve()
        for link in LINK.findall(index.read_text())
    }
    pages = {page for page in _pages() if page.is_relative_to(index.parent)}
    assert pages - linked - {index} == set()


def test_the_generated_pages_can_be_made(capsys: pytest.CaptureFixture[str]) -> None:
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    (modules,) = re.findall(r"^GENERATED := (.*)$", makefile, re.MULTILINE)
    for module in modules.split():
        path = (ROOT / "pyharness").joinpath(*module.split(".")).with_suffix(".py")
        runpy.run_path(str(path), run_name="__main__")
        assert "\n|---|" in capsys.readouterr().out.replace("| --- |", "|---|"), module


def test_the_numbers_of_decisions_rise() -> None:
    """Those of removed decisions are not used again."""
    page = (ROOT / "docs" / "decisions.md").read_text()
    for section in page.split("\n## ")[1:]:
        numbers = re.findall(r"^### (\d{3})$", section, re.MULTILINE)
        assert numbers == sorted(set(numbers))


def _prose(page: Path) -> Iterator[str]:
    """Yield the lines of a page without code, tables, pictures, headings and addresses."""
    for line in FENCE.sub("", page.read_text()).splitlines():
        if "https:" not in line and not line.lstrip().startswith(("|", "#", "!", "<", "```")):
            yield line


@pytest.mark.parametrize("page", _pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_of_prose_are_not_wider_than_an_editor(page: Path) -> None:
    assert [line for line in _prose(page) if len(line) > WIDEST] == []


def test_the_pages_are_few_enough_to_be_read() -> None:
    assert sum(len(page.read_text().splitlines()) for page in _pages()) <= MOST_LINES


def test_the_entry_documents_are_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 90


#: Old, figurative and inverted phrases. Add one only if plain words can always replace it.
BANNED = (
    "afresh", "anew", "asks whom", "begotten", "got no turn", "if need be", "in its hands",
    "in the leader's hands", "lest", "mended", "no business of", "none the wiser", "nought",
    "of its own accord", "of ours", "of theirs", "once more", "stands still", "the calm", "told of",
    "what this machine can do of it",
)  # fmt: skip
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
    ":!tests/unit/test_docs.py",
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


def test_no_text_has_a_banned_phrase() -> None:
    assert _found(ROOT) == []


def test_no_text_has_an_odd_pattern() -> None:
    found = {
        str(file.relative_to(ROOT)): odd
        for file in _files("--", *READ)
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
