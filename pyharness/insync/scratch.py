"""Give a process that analyses a temporary folder of its own, which is removed in any case."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from insync import owner

PREFIX: Final = "insync-scratch-"


@contextmanager
def scratch_environment() -> Iterator[dict[str, str]]:
    """Yield the environment of a process whose temporary files are in a folder of its own.

    The folder is removed when the block ends. If this process is killed before that, the next
    call removes it.
    """
    place = Path(tempfile.gettempdir())
    for left in place.glob(f"{PREFIX}*"):
        if owner.is_gone(left.name.removeprefix(PREFIX).rpartition("-")[0]):
            shutil.rmtree(left, ignore_errors=True)
    folder = tempfile.mkdtemp(prefix=f"{PREFIX}{owner.mine()}-")
    options = (os.environ.get("SPARK_SUBMIT_OPTS", ""), f'-Djava.io.tmpdir="{folder}"')
    try:
        yield {
            **os.environ,
            "TMPDIR": folder,
            "SPARK_SUBMIT_OPTS": " ".join(options),
        }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def scratch_process() -> Iterator[None]:
    """Give this process such an environment while it analyses itself.

    Its own temporary files, such as the log that a message names, are not in that folder.
    """
    before = dict(os.environ)
    with scratch_environment() as environment:
        os.environ.update(environment)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)
