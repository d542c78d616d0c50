"""Runs the programs that a release needs, and quotes what a failed one said."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from insync_release.errors import ReleaseError

_QUOTED_LINES: Final = 5


def run(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None
) -> str:
    """Run a command in a folder and return its standard output; raises ReleaseError if it fails.

    `environment` is all of its variables; None means those of this process.
    """
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()[-_QUOTED_LINES:]
        words = " ".join(map(str, command))
        raise ReleaseError(f"{words}: exit code {done.returncode}: {' | '.join(said)}")
    return done.stdout
