"""Every kind of fault in one table: what it does, by what, what shows it, and what it needs.

The one place that says whether a kind can be injected on this machine: `why_not` is asked
before a run, and by `insync faults` for those who want to know.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from insync.errors import InputError
from insync.faults.kinds import neighbour
from insync.faults.kinds.stall import require_shim
from insync.faults.support import cpu_groups
from insync.faults.support.disk import blkio, passthrough, volume

ClusterKind = Literal["local", "docker"]
Probe = Callable[[Path], str | None]
"""Why a fault cannot be injected into a run recorded in a folder, or None."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One kind of fault.

    Args:
        does: what the broker, or the cluster, then suffers.
        mechanism: by what.
        evidence: what shows that it acted.
        probes: per kind of cluster for which it exists, what finds out whether it can act here.

    """

    does: str
    mechanism: str
    evidence: str
    probes: Mapping[ClusterKind, Probe]


def why_not(kind: str, cluster: ClusterKind, out: Path) -> str | None:
    """Return why faults of a kind cannot be injected here into a run recorded at `out`, or None."""
    probe = CATALOGUE[kind].probes.get(cluster)
    return f"{kind}: not for --cluster {cluster}" if probe is None else probe(out)


def _nothing(_: Path) -> str | None:
    return None


def _shim(_: Path) -> str | None:
    try:
        require_shim()
    except InputError as error:
        return str(error)
    return None


def _both(probe: Probe) -> Mapping[ClusterKind, Probe]:
    return {"local": probe, "docker": probe}


CATALOGUE: Final[Mapping[str, Entry]] = {
    "stall": Entry(
        does="reads, sends, writes or fsyncs of chosen topic-partitions hang or take longer",
        mechanism="a library preloaded into the broker (LD_PRELOAD), at the system calls",
        evidence="calls that were held, and the longest",
        probes=_both(_shim),
    ),
    "queue-stall": Entry(
        does="all request handler threads hang in reads of another topic",
        mechanism="the library of `stall`, and fetches of our own",
        evidence="as many reads held as there are threads, to the end",
        probes=_both(_shim),
    ),
    "disk-stall": Entry(
        does="reads, writes or fsyncs of the broker's whole log folder hang or take longer",
        mechanism="a file system of ours (FUSE) over the log folder",
        evidence="operations that were held, and the longest",
        probes={
            "local": lambda _: passthrough.unavailable(),
            "docker": lambda _: passthrough.unavailable(for_others=True),
        },
    ),
    "disk-throttle": Entry(
        does="what the broker reads from its disk, and flushes to it, is held to a rate",
        mechanism="control group (blkio, io), page cache evicted first",
        evidence="bytes that went through the limit",
        probes=_both(blkio.unavailable),
    ),
    "disk-full": Entry(
        does="the disk of the broker's log folder takes no more",
        mechanism="a small volume (loop device, ext4) under the log folder, filled",
        evidence="writes refused at both ends",
        probes=_both(lambda _: volume.unavailable()),
    ),
    "disk-read-only": Entry(
        does="the disk of the broker's log folder cannot be written",
        mechanism="the same volume, read-only as ext4 is after an error (remount,abort)",
        evidence="writes refused at both ends",
        probes=_both(lambda _: volume.unavailable()),
    ),
    "freeze": Entry(
        does="the process stands still, its clock excepted",
        mechanism="SIGSTOP; a container is paused",
        evidence="every thread stopped at both ends, no CPU time in between",
        probes=_both(_nothing),
    ),
    "cpu-quota": Entry(
        does="the process gets a small share of one core",
        mechanism="CFS quota of a control group of ours; of a container its own",
        evidence="the kernel's count of throttled periods, and their time",
        probes={"local": lambda _: cpu_groups.unavailable(), "docker": _nothing},
    ),
    "cpu-neighbour": Entry(
        does="the process shares one core with busy ones",
        mechanism="its threads and busy processes of ours pinned to that core",
        evidence="how long its threads stood ready without a core",
        probes=_both(lambda _: neighbour.unavailable()),
    ),
    "kill": Entry(
        does="the process ends at once, and is started again on the same data",
        mechanism="SIGKILL",
        evidence="the process was gone, and for how long",
        probes=_both(_nothing),
    ),
    "lost-log": Entry(
        does="the process ends at once, and is started again without the log of its partitions",
        mechanism="SIGKILL, and the partitions' folders are removed",
        evidence="the process was gone, and the bytes that were removed",
        probes={"local": _nothing},
    ),
    "link": Entry(
        does="replication between two brokers is cut, delayed or slowed, both ways",
        mechanism="TCP proxies of ours before the brokers' replication listeners",
        evidence="bytes held, and that none passed while it was cut",
        probes=_both(_nothing),
    ),
    "elect": Entry(
        does="another broker becomes the leader of chosen partitions",
        mechanism="replicas in another order beforehand, then a preferred election",
        evidence="how many partitions that broker then calls its own",
        probes=_both(_nothing),
    ),
}
"""The kinds, as scenarios call them."""
