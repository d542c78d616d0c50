"""A Git tree with the files of Kafka that the patch touches, before and after it."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from patch_kafka.parts import (
    BUILD,
    HERE,
    PatchError,
    artifact_of,
    hunks,
    new_files,
    pins,
    test_files,
)

TREE: Final = BUILD / "tree"
_GIT: Final = (
    "git", "-c", "user.name=insync", "-c", "user.email=insync@localhost",
    "-c", "core.autocrlf=false",
)  # fmt: skip
_ALONE: Final = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_HEADING: Final = re.compile(r"^(@@ -\S+ \+\S+ @@).*$", re.MULTILINE)
_NOISE: Final = re.compile(r"^(diff --git|index) .*\n", re.MULTILINE)


def class_paths() -> dict[str, list[Path]]:
    """Return sources, libraries, scala, tests; raises PatchError for a wrong file."""
    written = BUILD / "class-paths.json"
    try:
        paths = json.loads(written.read_text(encoding="utf-8"))
    except OSError as error:
        raise PatchError(f"{written}: {error.strerror}, expected it from Gradle") from error
    found = {name: [Path(jar) for jar in jars] for name, jars in paths.items()}
    for name in ("sources", "libraries", "scala"):
        for jar in found[name]:
            verify(jar)
    return found


def verify(jar: Path) -> None:
    """Check a jar against its pin; raises PatchError."""
    expected = pins().get(jar.name, "one of the pinned jars")
    with jar.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != expected:
        raise PatchError(f"{jar}: SHA-256 is {digest}, expected {expected}")


def make(sources: Iterable[Path]) -> Path:
    """Extract what the patch touches, apply the patch, and return the patched tree."""
    by_name = {jar.name: jar for jar in sources}
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    _git("init", "-q")
    for each in hunks():
        artifact, inside = artifact_of(each.path)
        jar = next((jar for name, jar in by_name.items() if name.startswith(f"{artifact}-")), None)
        if jar is None:
            raise PatchError(f"{each.path}: no sources of {artifact}")
        _write(each.path, _read(jar, inside))
    _git("add", "-A")
    _git("commit", "-q", "-m", "Kafka as released")
    for each in hunks():
        _apply(each.file)
    for path, text in {**new_files(), **test_files()}.items():
        _write(path, text)
    _git("add", "-A")
    return TREE


def _read(jar: Path, inside: str) -> str:
    with zipfile.ZipFile(jar) as content:
        if inside not in content.NameToInfo:
            raise PatchError(f"{jar}: has no {inside}, which the patch changes")
        return content.read(inside).decode()


def _write(path: str, text: str) -> None:
    place = TREE / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def _apply(file: Path) -> None:
    done = _run("apply", "--unidiff-zero", "--whitespace=nowarn", str(file))
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise PatchError(
            f"{file.relative_to(HERE)}: does not apply: {lines[0] if lines else done.stdout}"
        )


def write_patch(place: Path) -> None:
    """Write the patch for reviewers: with context, and paths of Kafka's repository."""
    place.write_text(
        _git("diff", "--cached", "--no-color", "--no-renames", "HEAD"), encoding="utf-8"
    )


def record() -> list[Path]:
    """Write the hunks of what was edited in the tree, and return their files."""
    written = []
    for path in _git("diff", "--name-only", "--diff-filter=M", "HEAD").split():
        diff = _git("diff", "-U0", "--no-color", "HEAD", "--", path)
        file = HERE / "hunks" / f"{Path(path).name}.diff"
        # Neither the line above a hunk, which is Kafka's, nor a digest of the file.
        file.write_text(_NOISE.sub("", _HEADING.sub(r"\1", diff)), encoding="utf-8")
        written.append(file)
    return written


def _git(*arguments: str) -> str:
    done = _run(*arguments)
    if done.returncode != 0:
        raise PatchError(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    # A tree of its own: without --git-dir, Git would take the repository around it.
    command = [*_GIT, f"--git-dir={TREE / '.git'}", f"--work-tree={TREE}", *arguments]
    return subprocess.run(
        command, cwd=TREE, env=_ALONE, capture_output=True, text=True, check=False
    )
