"""Files out of the page cache, so that whoever reads them next reads from the disk."""

import os
from pathlib import Path


def evict(folder: Path) -> int:
    """Flush every file below `folder` and drop it from the page cache; return their bytes.

    File by file: flushing all of the machine's would wait for a disk that hangs. What is
    mapped, as Kafka's indexes are, stays where it is. Files that go away meanwhile are none.
    """
    return sum(_evict(Path(root) / name) for root, _, names in os.walk(folder) for name in names)


def _evict(file: Path) -> int:
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except FileNotFoundError:
        return 0
    try:
        os.fdatasync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)
