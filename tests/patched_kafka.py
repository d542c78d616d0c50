"""Kafka 4.3.1 with the source patch in its jars, built once for all tests of a process."""

import subprocess
from functools import cache
from pathlib import Path

from filelock import FileLock

from patch_kafka import build
from patch_kafka.parts import BUILD
from processes import ROOT

GRADLE = ("gradle", "-q", "--no-daemon", "--console=plain")


def gradle(*task: str) -> None:
    """Let Gradle fetch what a task is about."""
    subprocess.run([*GRADLE, *task], cwd=ROOT, check=True)


@cache
def patched_libs() -> Path:
    """Build the patch as `make upstream-patch` does; return the folder of jars."""
    BUILD.mkdir(parents=True, exist_ok=True)
    # Tests run in two processes, which share the folder.
    with FileLock(BUILD / "lock"):
        gradle("upstreamPatchClassPath")
        return build.build()
