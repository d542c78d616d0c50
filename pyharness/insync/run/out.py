"""Check and make the output folder of a run, a campaign or a benchmark."""

import os
import time
from pathlib import Path

from insync.errors import InputError


def check_out(out: Path) -> Path:
    """Return the absolute output folder; raises InputError if it is not empty or not writable."""
    out = out.absolute()
    try:
        if out.is_dir() and next(out.iterdir(), None) is not None:
            raise InputError(f"--out {out}: not empty, expected a new or an empty folder")
        if out.exists() and not out.is_dir():
            raise InputError(f"--out {out}: a file, expected a new or an empty folder")
    except OSError as error:
        raise InputError(f"--out {out}: {error.strerror}") from error
    there = next(folder for folder in (out, *out.parents) if folder.exists())
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise InputError(f"--out {out}: {there} is not a writable folder")
    return out


def make_out(out: Path) -> None:
    """Create the output folder, before the run writes anything else; raises InputError."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        probe = out / ".probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(f"--out {out}: not writable: {error.strerror}") from error


def default_out(name: str) -> Path:
    """Return the output folder of a run that names none."""
    return Path("insync-runs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
