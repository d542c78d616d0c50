"""Mounts what the faults of an arm's scenarios need under brokers' log folders."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from insync.brokers.cluster.node import NO_EXTRAS, NodeExtras
from insync.brokers.kafka import formats, process
from insync.errors import InsyncError
from insync.faults.cluster import Disks
from insync.faults.kind import STALLABLE, VOLUME
from insync.faults.registry import tags_of
from insync.faults.support.control import MAX_RULES, ControlFile
from insync.faults.support.disk.passthrough import Passthrough
from insync.faults.support.disk.volume import Volume
from insync.nodes import CONTROLLER_ID
from insync.run.requirements import disk_rules, tracks_flushes
from insync.running import Running
from insync.scenario.model import Scenario

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
def open_disks(
    scenarios: Sequence[Scenario], home: Path, *, keep: bool, zookeeper: bool = False
) -> Iterator[Disks]:
    """Mount what the scenarios need over log folders below `home`, before the brokers start.

    All is unmounted at the end, and the brokers must have ended by then. Data written through a
    passthrough file system stays in its folder; a volume and its data are removed unless `keep`.
    `zookeeper`: the controller is a broker like the others.
    Raises InsyncError if a mount fails, or if two scenarios need different disks for one broker.
    """
    if difference := disks_differ(scenarios):
        raise InsyncError(difference)
    gates: dict[int, ControlFile] = {}
    volumes: dict[int, Volume] = {}
    tracked: dict[int, Sequence[Passthrough]] = {}
    with ExitStack() as mounted:
        for broker in _on(scenarios, STALLABLE):
            rules = max(1, sum(disk_rules(scenario, broker) for scenario in scenarios))
            folders = {formats.DATA: home / f"disk-{broker}.control"}
            flushes = any(tracks_flushes(scenario, broker) for scenario in scenarios)
            if flushes:
                folders[formats.METADATA] = home / f"metadata-disk-{broker}.control"
            made = []
            for part, control in folders.items():
                gate = Passthrough.mount(
                    _made(home, broker, part), control, min(rules, MAX_RULES),
                    partial(_start, home), tracked=flushes,
                )  # fmt: skip
                mounted.callback(gate.unmount)
                made.append(gate)
            gates[broker] = made[0].control
            if flushes:
                tracked[broker] = made
        for broker in _on(scenarios, VOLUME):
            metadata = broker == CONTROLLER_ID and not zookeeper
            folder = _made(home, broker, formats.METADATA if metadata else formats.DATA)
            volumes[broker] = Volume.make(folder, home)
            mounted.callback(volumes[broker].unmount if keep else volumes[broker].remove)
        yield Disks(gates=gates, volumes=volumes, tracked=tracked)


def _on(scenarios: Sequence[Scenario], disk: str) -> list[int]:
    """Return the brokers whose log folders must be on a kind of disk."""
    faults = (fault for scenario in scenarios for fault in scenario.faults)
    return sorted({fault.broker for fault in faults if tags_of(fault).log_folder == disk})


def _made(home: Path, node: int, part: str) -> Path:
    """Create the data or metadata folder that a node will use."""
    folder = (home / str(node) / part).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _start(home: Path, command: Sequence[str], log: Path) -> Running:
    return process.start(command, log=log, folder=home, environment=os.environ)
