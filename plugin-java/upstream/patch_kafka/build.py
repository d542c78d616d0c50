"""Compile the patched classes and pack a folder of jars in which they replace Kafka's own."""

import os
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from patch_kafka import tree
from patch_kafka.parts import (
    BUILD,
    PATCHES,
    TEST_SOURCES,
    PatchError,
    artifact_of,
    hunks,
    kafka_version,
    new_files,
    up_to,
)

LIBS: Final = BUILD / "libs"
CLASSES: Final = BUILD / "classes"
_RELEASE: Final = "17"
_SCALAC: Final = ("-Xss4m", "-Xmx1500m", "-XX:+UseSerialGC")
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_ERROR: Final = "error:"


def build(last: str = PATCHES[-1]) -> Path:
    """Make the patches for reviewers and the folder of patched jars; return the folder.

    `last` is the last patch that the jars have, besides those that it builds on.
    """
    patches = up_to(last)
    paths = tree.class_paths()
    patched = tree.make(paths["sources"], patches)
    for old in BUILD.glob("*.patch"):
        old.unlink()
    tree.write_patches(BUILD)
    shutil.rmtree(CLASSES, ignore_errors=True)
    _compile(patched, paths, patches)
    made = BUILD / "libs.new"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    for jar in paths["libraries"]:
        overlay = CLASSES / jar.name.removesuffix(f"-{kafka_version()}.jar")
        if overlay.is_dir():
            _repack(jar, overlay, made / jar.name)
        else:
            shutil.copyfile(jar, made / jar.name)
    # A folder is there whole or not at all.
    shutil.rmtree(LIBS, ignore_errors=True)
    made.replace(LIBS)
    return LIBS


def _compile(patched: Path, paths: dict[str, list[Path]], patches: Sequence[str]) -> None:
    changed = (each.path for patch in patches for each in hunks(patch))
    added = (path for patch in patches for path in new_files(patch))
    touched = [path for path in dict.fromkeys([*changed, *added]) if TEST_SOURCES not in path]
    java = [path for path in touched if path.endswith(".java")]
    scala = [path for path in touched if path.endswith(".scala")]
    server, core = CLASSES / "kafka-server", CLASSES / "kafka_2.13"
    for path in touched:
        expected = "kafka-server" if path in java else "kafka_2.13"
        if artifact_of(path)[0] != expected:
            raise PatchError(f"{path}: expected in the module of {expected}")
    compile_java(_places(patched, java), paths["libraries"], server)
    class_path = [server, *paths["libraries"]]
    compile_scala(_places(patched, scala), class_path, paths["scala"], core)


def compile_java(places: Sequence[str], class_path: Sequence[Path], target: Path) -> None:
    """Compile Java sources; raises PatchError with the compiler's first error."""
    options = ["-nowarn", "-proc:none", "--release", _RELEASE, "-d", str(target)]
    _run(["javac", *options, "-cp", _joined(class_path), *places])


def compile_scala(
    places: Sequence[str], class_path: Sequence[Path], scala: Sequence[Path], target: Path
) -> None:
    """Compile Scala sources; raises PatchError with the compiler's first error."""
    target.mkdir(parents=True, exist_ok=True)
    command = ["java", *_SCALAC, "-cp", _joined(scala), "scala.tools.nsc.Main"]
    options = ["-nowarn", "-release", _RELEASE, "-d", str(target), "-cp", _joined(class_path)]
    _run([*command, *options, *places])


def _places(patched: Path, paths: Sequence[str]) -> list[str]:
    return [str(patched / path) for path in paths]


def _joined(paths: Sequence[Path]) -> str:
    return os.pathsep.join(str(path) for path in paths)


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines()
        first = next(
            (line for line in lines if _ERROR in line), lines[-1] if lines else "no output"
        )
        raise PatchError(
            f"the patch does not compile: {first.replace(str(tree.TREE) + os.sep, '')}"
        )


def _repack(jar: Path, overlay: Path, target: Path) -> None:
    """Write a jar with the classes of a folder in place of its own of the same names."""
    files = {str(file.relative_to(overlay)): file for file in sorted(overlay.rglob("*.class"))}
    replaced = {_outer(name) for name in files}
    with (
        zipfile.ZipFile(jar) as before,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for entry in before.infolist():
            # An inner class that the patch does not have any more must not stay.
            if _outer(entry.filename) not in replaced:
                after.writestr(entry, before.read(entry))
        for name, file in files.items():
            after.writestr(zipfile.ZipInfo(name, _EPOCH), file.read_bytes(), zipfile.ZIP_DEFLATED)


def _outer(entry: str) -> str:
    """Return the path of a class file's outermost class; of other entries their own."""
    return entry.removesuffix(".class").partition("$")[0] if entry.endswith(".class") else entry
