"""Makes room for brokers with many partitions, or says which limit of the machine is too low.

For each replica a broker keeps a segment open and maps two indexes, which it makes as large as
`log.index.size.max.bytes` at once (10 MiB, sparse), so that a machine runs out of descriptors or
mappings, and its page cache fills with empty index pages, long before it runs out of data.
"""

import resource
from pathlib import Path
from typing import Final

from insync.errors import InputError

_OWN: Final = 2_000
"""Files and mappings of a broker without partitions: jars, libraries, sockets, heap."""
_SMALL_INDEXES: Final = {
    "log.index.size.max.bytes": str(16 << 10),  # room for 2,048 entries
    "log.cleaner.enable": "false",
}
_MAPS: Final = Path("/proc/sys/vm/max_map_count")


def room_for(replicas: int) -> dict[str, str]:
    """Return the settings of a broker with so many replicas, and raise this process's limits.

    Its children inherit them. Raises InputError if a limit is too low and cannot be raised.
    """
    _raise_files(replicas, _OWN + replicas)
    maps = _OWN + 2 * replicas
    allowed = int(_MAPS.read_text(encoding="ascii")) if _MAPS.exists() else maps
    if allowed < maps:
        raise InputError(
            f"partitions: {replicas} replicas per broker, expected vm.max_map_count of at least"
            f" {maps}: it is {allowed} (sysctl -w vm.max_map_count={maps})"
        )
    return dict(_SMALL_INDEXES)


def _raise_files(replicas: int, files: int) -> None:
    """Raise the limit of open files as far as needed; a JVM takes all that is allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = hard if hard == resource.RLIM_INFINITY else max(hard, files)
    wanted = files if soft == resource.RLIM_INFINITY else max(soft, files)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    except (ValueError, OSError) as error:
        raise InputError(
            f"partitions: {replicas} replicas per broker, expected a hard limit of open files"
            f" (ulimit -Hn) of at least {files}: it is {hard}"
        ) from error
