"""The stall shim `native/stall.c`: whether it is built, and how a broker loads it."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from insync.artifacts import SHIM
from insync.errors import InputError
from insync.faults.base import refusal


def require_shim() -> Path:
    """Return the built shim; raises InputError where there is none."""
    if not sys.platform.startswith("linux"):
        raise InputError(f"stall faults: on {sys.platform}, expected Linux with glibc (LD_PRELOAD)")
    if not SHIM.is_file():
        raise InputError(
            f"stall faults: no {SHIM.name}: it is compiled when insync is built, which needs a"
            " C compiler (apt-get install gcc libc6-dev), then `make setup`"
        )
    if " " in str(SHIM) or ":" in str(SHIM):
        raise InputError(f"stall faults: {SHIM}: LD_PRELOAD takes no path with a space or a colon")
    return SHIM


def preload(shim: Path, control: Path) -> Mapping[str, str]:
    """Return the environment in which a broker loads the shim."""
    own = os.environ.get("LD_PRELOAD")
    libraries = f"{shim}:{own}" if own else str(shim)
    return {"LD_PRELOAD": libraries, "INSYNC_STALL_CONTROL": str(control.resolve())}


def unavailable(_: Path) -> str | None:
    """Return why no call can be stalled on this machine, or None."""
    return refusal(require_shim)
