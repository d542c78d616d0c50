"""Read a folder of a container, which need not run."""

import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

_IN_MEMORY: Final = 8 << 20


@contextmanager
def packed(container: Any, folder: str) -> Iterator[tarfile.TarFile]:
    """Yield a folder of a container as a tar file; raises docker's NotFound if there is none."""
    stream, _ = container.get_archive(folder)
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
        for chunk in stream:
            file.write(chunk)
        file.seek(0)
        with tarfile.open(fileobj=file, mode="r:") as content:
            yield content
