"""A Git repository with the files of Kafka that the patches touch, and one commit per patch."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from patch_kafka.parts import (
    BUILD,
    HEADER,
    HERE,
    PATCHES,
    TEST_SOURCES,
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


def make(sources: Iterable[Path], patches: Sequence[str]) -> Path:
    """Extract what the patches touch, commit one patch after the other, and return the tree."""
    by_name = {jar.name: jar for jar in sources}
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    _git("init", "-q")
    ours = {path for patch in patches for path in {**new_files(patch), **test_files(patch)}}
    changed = dict.fromkeys(each.path for patch in patches for each in hunks(patch))
    for path in (path for path in changed if path not in ours):
        artifact, inside = artifact_of(path)
        jar = next((jar for name, jar in by_name.items() if name.startswith(f"{artifact}-")), None)
        if jar is None:
            raise PatchError(f"{path}: no sources of {artifact}")
        _write(path, _read(jar, inside))
    _commit("Kafka as released")
    for patch in patches:
        for each in hunks(patch):
            _apply(each.file)
        for path, text in {**new_files(patch), **test_files(patch)}.items():
            _write(path, text)
        _commit(patch)
    return TREE


def _read(jar: Path, inside: str) -> str:
    with zipfile.ZipFile(jar) as content:
        if inside not in content.NameToInfo:
            raise PatchError(f"{jar}: has no {inside}, which a patch changes")
        return content.read(inside).decode()


def _write(path: str, text: str) -> None:
    place = TREE / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def _commit(subject: str) -> None:
    _git("add", "-A")
    _git("commit", "-q", "--allow-empty", "-m", subject)


def _apply(file: Path) -> None:
    done = _run("apply", "--unidiff-zero", "--whitespace=nowarn", str(file))
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise PatchError(
            f"{file.relative_to(HERE)}: does not apply: {lines[0] if lines else done.stdout}"
        )


def write_patches(folder: Path) -> None:
    """Write each patch for reviewers: with context, and paths of Kafka's repository."""
    for patch, commit in _commits().items():
        text = _git("diff", "--no-color", "--no-renames", f"{commit}^", commit)
        (folder / f"{patch}.patch").write_text(text, encoding="utf-8")


def record() -> list[Path]:
    """Write the parts of each patch from its commit in the tree, and return the files."""
    written = []
    for patch, commit in _commits().items():
        for part in ("hunks", "new", "tests"):
            shutil.rmtree(HERE / patch / part, ignore_errors=True)
        for line in _git(
            "diff", "--name-status", "--no-renames", f"{commit}^", commit
        ).splitlines():
            status, path = line.split("\t")
            if status == "M":
                file = HERE / patch / "hunks" / f"{Path(path).name}.diff"
                diff = _git("diff", "-U0", "--no-color", f"{commit}^", commit, "--", path)
                # Neither the line above a hunk, which is Kafka's, nor a digest of the file.
                text = _NOISE.sub("", _HEADING.sub(r"\1", diff))
            else:
                file = HERE / patch / ("tests" if TEST_SOURCES in path else "new") / path
                text = _git("show", f"{commit}:{path}").removeprefix(HEADER)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            written.append(file)
    return written


def _commits() -> dict[str, str]:
    """Return the commit of each patch in the tree, in their order."""
    log = _git("log", "--reverse", "--format=%H %s").splitlines()
    found = {subject: commit for commit, subject in (line.split(" ", 1) for line in log)}
    return {patch: found[patch] for patch in PATCHES if patch in found}


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
