"""Builds the agent's jar and the wheel from a commit, twice, and compares the bytes."""

import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from insync_release.commands import run
from insync_release.errors import ReleaseError
from insync_release.source import Source

_FOLDERS: Final = ("one", "another-folder-whose-name-is-longer")
"""Where the builds run. Their paths differ in length, so a path in a file shows."""
_BUILT: Final = Path("pyharness/insync/_built")
_LIBRARIES: Final = Path("plugin-java/lab/build/agent-libraries.json")


def build_twice(source: Source, out: Path, tell: Callable[[str], None]) -> None:
    """Build in two new folders, and leave the jars, the wheel and the list of libraries in `out`.

    Raises ReleaseError if a build fails, or if the two have different bytes.
    """
    with tempfile.TemporaryDirectory(prefix="insync-release-") as name:
        builds = []
        for number, folder in enumerate(_FOLDERS, 1):
            tell(f"building {source.commit[:12]}, {number} of {len(_FOLDERS)}")
            builds.append(_build(source, Path(name) / folder))
        found = differences(*builds)
        if found:
            raise ReleaseError("\n".join(f"two builds differ: {each}" for each in found))
        for name_in_release, file in builds[0].items():
            shutil.copyfile(file, out / name_in_release)


def _build(source: Source, folder: Path) -> Mapping[str, Path]:
    """Return the built files by their names in the release."""
    source.export(folder)
    run(["make", "--no-print-directory", "built"], folder, source.environment)
    run(["gradle", "-q", "--no-daemon", "--console=plain", "agentLibraries"], folder)
    run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel"],
        folder,
        source.environment,
    )
    (wheel,) = (folder / "dist").glob("*.whl")
    return {
        f"insync-agent-{source.version}.jar": folder / _BUILT / "insync-agent.jar",
        f"insync-lab-{source.version}.jar": folder / _BUILT / "insync-lab.jar",
        wheel.name: wheel,
        _LIBRARIES.name: folder / _LIBRARIES,
    }


def differences(one: Mapping[str, Path], other: Mapping[str, Path]) -> list[str]:
    """Return in which files two builds differ, and of archives in which members."""
    found = [f"{name} is in one of them only" for name in sorted(one.keys() ^ other.keys())]
    found += [
        f"{name}{_members(one[name], other[name])}"
        for name in sorted(one.keys() & other.keys())
        if one[name].read_bytes() != other[name].read_bytes()
    ]
    return found


def _members(one: Path, other: Path) -> str:
    if not (zipfile.is_zipfile(one) and zipfile.is_zipfile(other)):
        return ""
    first, second = _described(one), _described(other)
    differ = sorted(
        name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
    )
    return f": {', '.join(differ)}" if differ else ": the order of its members"


def _described(archive: Path) -> dict[str, tuple[object, ...]]:
    """Return of each member of an archive what its bytes depend on."""
    with zipfile.ZipFile(archive) as opened:
        return {
            each.filename: (each.CRC, each.date_time, each.external_attr, each.compress_type)
            for each in opened.infolist()
        }
