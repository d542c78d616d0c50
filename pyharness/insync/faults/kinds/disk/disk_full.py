"""`disk-full`: the disk of the broker's log folder, or of the controller's, is full."""

from typing import Literal

from insync.faults.kind import VOLUME, FaultKind, KindWords, Tags, both
from insync.faults.spec import OnProcess
from insync.faults.support.disk import volume
from insync.faults.support.disk.broken import FULL, BrokenDiskFault, took_writes


class DiskFull(OnProcess):
    """The disk of the node's log folder is full; a node that ended of it is started again.

    A controller's log folder is that of its metadata log.
    """

    kind: Literal["disk-full"]


class DiskFullFault(BrokenDiskFault):
    way = FULL


KIND = FaultKind(
    spec=DiskFull,
    words=KindWords(
        does="the disk of the broker's log folder is full",
        mechanism="a small volume (loop device, ext4) under the log folder, filled",
        evidence="a write fails with ENOSPC at the beginning and at the end; free bytes;"
        " whether the broker ended, or wrote that its folder is offline",
        notes="The volume has 256 MiB; a file takes what is free, and is removed at the end. A"
        " node that the fault ended is started again. At the controller it is the disk of its"
        " metadata log, of which the last block (4 KiB) still takes some records. Of several log"
        " folders it is the first; a broker that lost it is killed and started again at the end.",
    ),
    probes=both(lambda _: volume.unavailable()),
    inject=DiskFullFault,
    missing=took_writes,
    tags=Tags(alone=True, log_folder=VOLUME, stops_following=True),
)
