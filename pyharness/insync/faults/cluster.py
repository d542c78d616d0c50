"""What a fault may ask of the cluster that it acts on; `insync.run.faults` implements it."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from insync.faults.support.control import ControlFile
from insync.faults.support.disk.volume import Volume
from insync.running import Running


class Container(Running, Protocol):
    """A container that can be paused and whose CPU time can be limited."""

    def pause(self) -> None:
        """Stop all in it."""

    def unpause(self) -> None:
        """Continue all in it; nothing happens if it is not paused."""

    @property
    def quota_us(self) -> tuple[int, int]:
        """Period and quota of its CPU time in microseconds; a quota of 0 or less is none."""

    def set_quota_us(self, period: int, quota: int) -> None:
        """Change both at once; a quota of -1 is none."""


class ClockReading(Protocol):
    """A node's time of day against the harness's."""

    @property
    def ahead_ms(self) -> float:
        """How far it is ahead."""

    @property
    def error_ms(self) -> float:
        """How wrong that may be, in both directions."""


class LinkTraffic(Protocol):
    """What a link carried in one direction since it is treated as it is now."""

    @property
    def bytes(self) -> int:
        """Bytes that were forwarded."""

    @property
    def in_hand(self) -> int:
        """Bytes that are delayed at this moment."""

    @property
    def pieces_held(self) -> int:
        """Pieces that were forwarded with a delay."""

    @property
    def longest_ms(self) -> float:
        """The longest time for which one of them was delayed."""

    @property
    def bytes_delayed(self) -> int:
        """Bytes that were forwarded with a delay."""

    @property
    def bytes_dropped(self) -> int:
        """Bytes that were delayed when their connection ended."""

    @property
    def pieces_lost(self) -> int:
        """Pieces that were lost at least once."""


class FaultCluster(Protocol):
    """The running cluster of one arm."""

    @property
    def leaders(self) -> Sequence[int]:
        """The broker that leads each partition when a repeat begins."""

    @property
    def io_threads(self) -> int:
        """How many request handler threads a broker has."""

    def process(self, node: int) -> Running:
        """Return a node's process of this moment: a restart replaces it."""

    def container(self, node: int) -> Container | None:
        """Return a node's container; None where it is a process of this host."""

    def kill(self, node: int) -> None:
        """Kill a node; returns when its process has ended."""

    def restart(self, node: int) -> None:
        """Start a node that has ended; returns when the new process runs."""

    def start(self, command: Sequence[str]) -> Running:
        """Start a process that does not outlive the harness."""

    def data_dir(self, broker: int) -> Path:
        """Return the folder of a broker's partitions."""

    def folder(self, broker: int) -> Path:
        """Return a broker's own folder, in which its process runs."""

    def log(self, node: int) -> Path:
        """Return the file with what a node writes to its output."""

    def port(self, broker: int) -> int:
        """Return the port at which clients of this host reach a broker."""

    def stall_control(self, broker: int) -> ControlFile:
        """Return the control file of the shim that a broker runs under."""

    def disk_control(self, broker: int) -> ControlFile:
        """Return the control file of the file system under a broker's log folder."""

    def volume(self, broker: int) -> Volume:
        """Return the volume under a broker's log folder."""

    def settle_disks(self, node: int) -> None:
        """Count all that a node has written so far as flushed to its disk."""

    def fail_power(self, node: int) -> Mapping[str, int]:
        """Take a dead node's files back to what was flushed of them; return what that took."""

    def treat_link(
        self,
        pair: tuple[int, int],
        *,
        cut: bool,
        delay_ms: int,
        bytes_per_s: int,
        loss_percent: float,
        seed: int,
        only: tuple[int, int] | None,
    ) -> None:
        """Treat what two nodes send to each other, from now on.

        A node may be `CLIENTS`; `only` is sender and receiver of the only direction, if it is one.
        """

    def free_link(self, pair: tuple[int, int]) -> None:
        """Let everything pass between two nodes again."""

    def link_traffic(self, sender: int, receiver: int) -> LinkTraffic:
        """Return what a link carried in one direction since it is treated as it is now."""

    def make_filled_topic(self, topic: str, broker: int, partitions: int) -> None:
        """Create a topic on one broker alone, with a record in each partition."""

    def make_old_records(self, topic: str, broker: int, partitions: int, size: int) -> None:
        """Create a topic on one broker alone, with so many bytes of records in each partition."""

    def make_clock_topic(self, topic: str, broker: int) -> None:
        """Create a topic on one broker alone, whose records have the times of their appends."""

    def clock_reading(self, topic: str, broker: int) -> ClockReading | None:
        """Read a broker's clock with such a topic; None if it does not answer."""

    def make_idle_topic(self, topic: str, broker: int, partitions: int) -> None:
        """Create a topic whose partitions a broker leads, and wait until all replicas follow."""

    def begin_topic(self, topic: str, broker: int, partitions: int) -> None:
        """Create a topic whose partitions a broker leads; raises InsyncError if refused."""

    def delete_topic(self, topic: str) -> None:
        """Delete a topic; raises InsyncError if refused."""

    def replicas_led_by(self, broker: int) -> Sequence[int]:
        """Return the replicas of a partition, in order, if `broker` is to lead it."""

    def assignment_seen_by(
        self, broker: int, topic: str
    ) -> Mapping[int, tuple[Sequence[int], Sequence[int]]]:
        """Return replicas and ISR of each partition as a broker knows them; raises InsyncError."""

    def update_configs(self, broker: int, settings: Mapping[str, str | None]) -> None:
        """Set configs of a broker, or delete those that are None; raises InsyncError."""

    def configs_in_force(self, broker: int, settings: Mapping[str, str]) -> int:
        """Return how many of the settings the broker says that it has; raises InsyncError."""

    def update_topic_configs(self, topic: str, settings: Mapping[str, str | None]) -> None:
        """Set configs of a topic, or delete those that are None; raises InsyncError."""

    def election_ports(self, last: Collection[int]) -> Sequence[int]:
        """Return the ports at which elections may be asked for; brokers in `last` come last."""

    def leaders_seen_by(self, broker: int, topic: str) -> Mapping[int, int]:
        """Return the leader of each partition as one broker knows it; raises InsyncError."""
