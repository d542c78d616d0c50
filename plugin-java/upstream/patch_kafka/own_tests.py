"""Compile the patches' own test classes against Kafka's published test jars, and run them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from patch_kafka import build, tree
from patch_kafka.parts import BUILD, PATCHES, PatchError, test_files

_CLASSES: Final = BUILD / "test-classes"
_CONSOLE: Final = "org.junit.platform.console.ConsoleLauncher"


def class_path() -> list[Path]:
    """Return the class path of Kafka's own tests, with the patched jars in place of Kafka's."""
    patched = {jar.name: jar for jar in build.LIBS.glob("*.jar")}
    if not patched:
        raise PatchError(f"{build.LIBS}: has no jars, expected `make upstream-patch` before")
    return [patched.get(jar.name, jar) for jar in tree.class_paths()["tests"]]


def run() -> int:
    """Run the tests; return JUnit's exit code."""
    jars = class_path()
    places = [str(tree.TREE / path) for patch in PATCHES for path in test_files(patch)]
    java, scala = ([each for each in places if each.endswith(end)] for end in (".java", ".scala"))
    shutil.rmtree(_CLASSES, ignore_errors=True)
    build.compile_java(java, jars, _CLASSES)
    build.compile_scala(scala, jars, tree.class_paths()["scala"], _CLASSES)
    path = os.pathsep.join(map(str, [_CLASSES, *jars]))
    command = ["java", "-Xmx1g", "-cp", path, _CONSOLE, "execute", "--disable-banner",
               "--disable-ansi-colors", "--details=tree", "--fail-if-no-tests",
               "--reports-dir", str(BUILD / "test-results"),
               "--scan-classpath", str(_CLASSES)]  # fmt: skip
    done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True, check=False)
    (BUILD / "test-output.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    lines = done.stdout.splitlines()
    shown = [line for line in lines if "[X]" in line or " tests " in line]
    print("\n".join(shown), file=sys.stderr if done.returncode else sys.stdout)
    return done.returncode
