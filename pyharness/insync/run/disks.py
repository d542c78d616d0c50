"""Mounts what the faults of an arm's scenarios need under brokers' log folders."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from insync.brokers.cluster.node import NO_EXTRAS, NodeExtras
from insync.brokers.kafka import formats, process
from insync.errors import InsyncError
from insync.faults.kind import STALLABLE, VOLUME
from insync.faults.registry import tags_of
from insync.faults.support.control import MAX_RULES, ControlFile
from insync.faults.support.disk.passthrough import Passthrough
from insync.faults.support.disk.volume import Volume
from insync.run.requirements import disk_rules
from insync.running import Running
from insync.scenario.model import Scenario


@dataclass(frozen=True, kw_only=True, slots=True)
class Disks:
    """The control files of file systems that can be stalled, and the volumes, by broker."""

    gates: Mapping[int, ControlFile] = field(default_factory=dict)
    volumes: Mapping[int, Volume] = field(default_factory=dict)


NO_DISKS: Final = Disks()

BEHIND_A_GATE: Final = {"log.index.interval.bytes": "0"}
"""Settings of a broker whose log files bypass the page cache: it searches for a record from the
nearest index entry on, batch by batch, and each step is a call of the file system."""


def with_disk_settings(
    extras: Mapping[int, NodeExtras], scenarios: Sequence[Scenario]
) -> dict[int, NodeExtras]:
    """Return the brokers' extras, with the settings of those whose disk can be stalled."""
    made = dict(extras)
    for broker in _on(scenarios, STALLABLE):
        own = made.get(broker, NO_EXTRAS)
        made[broker] = replace(own, settings={**own.settings, **BEHIND_A_GATE})
    return made


def disks_differ(scenarios: Sequence[Scenario]) -> str | None:
    """Return which broker needs different disks for the scenarios, or None."""
    needed: dict[int, str] = {}
    for fault in (fault for scenario in scenarios for fault in scenario.faults):
        disk = tags_of(fault).log_folder
        if disk and needed.setdefault(fault.broker, disk) != disk:
            return (
                f"broker {fault.broker}: scenarios on one cluster need different disks:"
                f" {needed[fault.broker]} and {disk}"
            )
    return None


@contextmanager
def open_disks(scenarios: Sequence[Scenario], home: Path, *, keep: bool) -> Iterator[Disks]:
    """Mount what the scenarios need over log folders below `home`, before the brokers start.

    All is unmounted at the end, and the brokers must have ended by then. Data written through a
    passthrough file system stays in its folder; a volume and its data are removed unless `keep`.
    Raises InsyncError if a mount fails, or if two scenarios need different disks for one broker.
    """
    if difference := disks_differ(scenarios):
        raise InsyncError(difference)
    gates: dict[int, ControlFile] = {}
    volumes: dict[int, Volume] = {}
    with ExitStack() as mounted:
        for broker in _on(scenarios, STALLABLE):
            rules = sum(disk_rules(scenario, broker) for scenario in scenarios)
            gate = Passthrough.mount(
                _data(home, broker), home / f"disk-{broker}.control", min(rules, MAX_RULES),
                partial(_start, home),
            )  # fmt: skip
            mounted.callback(gate.unmount)
            gates[broker] = gate.control
        for broker in _on(scenarios, VOLUME):
            volumes[broker] = Volume.make(_data(home, broker), home)
            mounted.callback(volumes[broker].unmount if keep else volumes[broker].remove)
        yield Disks(gates=gates, volumes=volumes)


def _on(scenarios: Sequence[Scenario], disk: str) -> list[int]:
    """Return the brokers whose log folders must be on a kind of disk."""
    faults = (fault for scenario in scenarios for fault in scenario.faults)
    return sorted({fault.broker for fault in faults if tags_of(fault).log_folder == disk})


def _data(home: Path, broker: int) -> Path:
    """Create the data folder that a broker will use."""
    folder = (home / str(broker) / formats.DATA).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _start(home: Path, command: Sequence[str], log: Path) -> Running:
    return process.start(command, log=log, folder=home, environment=os.environ)
