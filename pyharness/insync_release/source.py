"""What is released: a commit, its version, and whether that may be released."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync_release.commands import run
from insync_release.errors import ReleaseError

_VERSION: Final = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
_RELEASED: Final = re.compile(r"\d+\.\d+\.\d+(rc\d+)?")
_SECTION: Final = re.compile(r"^## (\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Source:
    """A commit of a checkout.

    Attributes:
        root: the checkout.
        commit: the commit's id.
        version: the version that the commit's package has.
        epoch: the commit's time in seconds, which the files of the release have as their time.

    """

    root: Path
    commit: str
    version: str
    epoch: int

    @property
    def tag(self) -> str:
        """The name of the release's tag."""
        return f"v{self.version}"

    @classmethod
    def head(cls, root: Path) -> "Source":
        """Return what the checkout has committed; raises ReleaseError without a version."""
        commit = run(["git", "rev-parse", "HEAD"], root).strip()
        epoch = int(run(["git", "show", "-s", "--format=%ct", commit], root))
        found = _VERSION.search(run(["git", "show", f"{commit}:{PACKAGE}"], root))
        if found is None:
            raise ReleaseError(f'{PACKAGE}: no __version__, expected a line __version__ = "X.Y.Z"')
        return cls(root, commit, found[1], epoch)

    def text(self, path: str) -> str:
        """Return a file of the commit."""
        return run(["git", "show", f"{self.commit}:{path}"], self.root)

    def export(self, folder: Path) -> None:
        """Write the commit's files into a new folder; nothing else of the checkout is there."""
        folder.mkdir(parents=True)
        archive = folder / "source.tar"
        run(["git", "archive", "--output", archive, self.commit], self.root)
        run(["tar", "--extract", "--file", archive], folder)
        archive.unlink()

    def problems(self) -> list[str]:
        """Return why the commit may not be released, a line each; empty if it may."""
        found = []
        if not _RELEASED.fullmatch(self.version):
            found.append(f"{PACKAGE}: version {self.version}, expected X.Y.Z or X.Y.ZrcN")
        newest = _SECTION.search(self.text("CHANGELOG.md"))
        if newest is None or newest[1] != self.version:
            section = "none" if newest is None else newest[1]
            found.append(f"CHANGELOG.md: newest section {section}, expected {self.version}")
        changed = run(["git", "status", "--porcelain"], self.root).splitlines()
        if changed:
            found.append(f"{self.root}: {len(changed)} files differ from HEAD, expected none")
        if run(["git", "tag", "--list", self.tag], self.root).strip():
            found.append(f"tag {self.tag}: it exists, expected a version that is not released")
        return found

    def make_tag(self) -> None:
        """Tag the commit, annotated; pushing the tag is left to a person."""
        words = f"insync {self.version}"
        run(["git", "tag", "--annotate", "--message", words, self.tag, self.commit], self.root)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of this process, and the time that the built files have."""
        return {**os.environ, "SOURCE_DATE_EPOCH": str(self.epoch)}


PACKAGE: Final = "pyharness/insync/__init__.py"
