"""Read every leader and ISR change of a cluster from its controller's log.

The log is complete and has the controller's timestamps; polling brokers would miss short shrinks
and mix the brokers' views. It can be read while the cluster runs and after it has stopped.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.quorum import metadata_records, zookeeper_log, zookeeper_records
from insync.brokers.cluster.quorum.isr_lines import Line
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.jvm import SHORT_LIVED
from insync.errors import InsyncError
from insync.nodes import CONTROLLER_ID

_WITHIN_S = 60.0


def isr_events(cluster: NodeCluster, dist: Distribution, arm: str) -> Iterator[Line]:
    """Yield the lines of isr.jsonl so far, in log order.

    Raises InsyncError when there is no log or it cannot be read. An incomplete record at the end
    is left out.
    """
    if dist.release.zookeeper:
        changes = zookeeper_log.changes(cluster.zookeeper.transaction_log)
        for line in zookeeper_records.states(changes, arm):
            if line["broker"] != CONTROLLER_ID:  # it registers as a broker, but has no partitions
                yield line
    else:
        text = _printed(cluster.controller.metadata_log, dist)
        yield from metadata_records.states(text, arm)


def _printed(folder: Path, dist: Distribution) -> Iterator[str]:
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
