"""Manage the user's cache folder: its path, its locks, and atomic replacement of its folders."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from insync.errors import InputError

ROOT_VARIABLE = "INSYNC_CACHE"
# Long enough for another insync to fetch a version over a slow line.
_WAIT_S = 120.0


def root() -> Path:
    """Return the cache's root folder; it need not exist yet."""
    own = os.environ.get(ROOT_VARIABLE)
    return Path(own).absolute() if own else Path(platformdirs.user_cache_dir("insync"))


def woven_classes() -> Path:
    """Return the folder in which the agents keep their woven classes; they create it."""
    return root() / "woven"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock beside `folder`; raises InputError if it stays busy or cannot be written."""
    lock = FileLock(folder.with_name(f".{folder.name}.lock"))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=_WAIT_S)
    except Timeout:
        raise InputError(
            f"cache: {folder} is busy for {_WAIT_S:g} s: another insync works on it"
        ) from None
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        for left in folder.parent.glob(f".{folder.name}-*"):
            # Left by an insync that was killed: a running one would hold the lock.
            shutil.rmtree(left, ignore_errors=True)
        yield
    finally:
        lock.release()


def filled(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return `folder`; if it is missing, one insync at a time makes it, as `fill` leaves it."""
    if not folder.is_dir():
        with locked(folder):
            if not folder.is_dir():
                with atomic_folder(folder) as made:
                    fill(made)
    return folder


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder to fill; it replaces `folder` when the block ends without an error."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        yield made
        try:
            made.chmod(0o755)
            if folder.exists():
                shutil.rmtree(folder)
            made.rename(folder)
        except OSError as error:
            raise _unwritable(folder, error) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _unwritable(folder: Path, error: OSError) -> InputError:
    return InputError(
        f"cache: cannot write {folder}: {error.strerror or error}, "
        f"expected a writable folder ({ROOT_VARIABLE} names another)"
    )
