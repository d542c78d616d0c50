"""The records of a KRaft controller's log, as DumpLogSegments prints them.

The log may be read while the controller runs, and after it stopped.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.jvm import SHORT_LIVED
from insync.errors import InsyncError

_WITHIN_S = 60.0


def printed(folder: Path, dist: Distribution) -> Iterator[str]:
    """Yield the printed lines of the log `folder`; see `metadata_records`.

    Raises InsyncError when there is no log or DumpLogSegments cannot read it.
    """
    segments = sorted(folder.glob("*.log"))
    if not segments:
        raise InsyncError(f"metadata log: no segments in {folder}")
    with tempfile.TemporaryDirectory(prefix="insync-") as scratch:
        for segment in segments:
            output = Path(scratch) / f"{segment.stem}.txt"
            _dump(segment, output, dist)
            with output.open(encoding="utf-8", errors="replace") as lines:
                yield from lines


def _dump(segment: Path, output: Path, dist: Distribution) -> None:
    command = dist.command(
        SHORT_LIVED, dist.release.dump_class,
        "--cluster-metadata-decoder", "--files", str(segment),
    )  # fmt: skip
    code = process.run(command, log=output, folder=output.parent, within_s=_WITHIN_S)
    if code != 0:
        said = process.complaint(output)
        expected = dist.release.dump_ends_with
        if expected is None or expected not in said:
            raise InsyncError(f"metadata log: DumpLogSegments failed on {segment}: {said}")
