"""Every relative link and picture in the repository's Markdown resolves, anchors included."""

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


def _pages() -> list[Path]:
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    done = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.split() if (ROOT / name).is_file()]


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
