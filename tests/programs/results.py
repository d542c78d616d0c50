"""`make results`: run every command of docs/results.md, each into a folder below OUT.

`PYTHONPATH=tests python -m programs.results OUT` takes hours. Run again, it leaves out what has a
result and resumes what was cut short. All results are of one commit: OUT/commit names it, and
another commit needs another folder.
"""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from commands import INSYNC

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "results.md"
ENDED = ("verdict.json", "matrix.json")


def commands(page: str) -> Iterator[list[str]]:
    """Yield the arguments of each `insync` command in the page's code blocks, without --out."""
    for block in re.findall(r"^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["insync"]:
                place = words.index("--out") if "--out" in words else len(words)
                yield [*words[1:place], *words[place + 2 :]]


def folder_of(arguments: Sequence[str]) -> str:
    """Return a name that no other command has."""
    return re.sub(r"[^\w.,-]+", "_", "_".join(arguments))[:150].replace("__", "_")


def run(arguments: Sequence[str], out: Path) -> int:
    """Run a command into a folder, or resume it there; return its exit code."""
    if any((out / name).is_file() for name in ENDED):
        return 0
    resumed = ["--resume"] if (out / "campaign.json").is_file() else []
    if not resumed:
        shutil.rmtree(out, ignore_errors=True)  # a run that was cut short begins again
    return subprocess.run([INSYNC, *arguments, *resumed, "--out", out], check=False).returncode


def main(into: Path) -> int:
    """Run all; return the worst exit code, or 2 if the folder is of another commit."""
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout
    into.mkdir(parents=True, exist_ok=True)
    mark = into / "commit"
    if mark.exists() and mark.read_text(encoding="utf-8") != commit:
        print(f"{mark}: another commit than {commit.strip()}, expected a new folder")
        return 2
    mark.write_text(commit, encoding="utf-8")
    worst = 0
    for arguments in commands(PAGE.read_text(encoding="utf-8")):
        print("insync", shlex.join(arguments), flush=True)
        worst = max(worst, run(arguments, into / folder_of(arguments)))
    return worst


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
