"""`disk-read-only`: the disk of the broker's log folder cannot be written."""

from typing import Literal

from insync.faults.kind import VOLUME, FaultKind, KindWords, Tags, both
from insync.faults.spec import Lasting
from insync.faults.support.disk import volume
from insync.faults.support.disk.broken import READ_ONLY, BrokenDiskFault, took_writes


class DiskReadOnly(Lasting):
    """The disk of the broker's log folder is read-only; at the end the broker is started again."""

    kind: Literal["disk-read-only"]


class DiskReadOnlyFault(BrokenDiskFault):
    way = READ_ONLY


KIND = FaultKind(
    spec=DiskReadOnly,
    words=KindWords(
        does="the disk of the broker's log folder cannot be written",
        mechanism="the volume of disk-full, read-only as ext4 is after an error (remount,abort)",
        evidence="a write fails with EROFS at the beginning and at the end; free bytes;"
        " whether the broker ended, or wrote that its folder is offline",
        notes="At the end the volume is mounted again, writable."
        " A broker that still runs at the end is killed, and started again. Of several log folders"
        " it is the first.",
    ),
    probes=both(lambda _: volume.unavailable()),
    inject=DiskReadOnlyFault,
    missing=took_writes,
    tags=Tags(alone=True, log_folder=VOLUME, stops_following=True),
)
