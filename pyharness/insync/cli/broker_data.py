"""Remove the data of brokers that no finding needs; what may explain a finding stays.

A run leaves the data of its brokers below `nodes/ARM`. When the verdict is known, it is removed for
the arms in which everything was as expected, unless the run was asked to keep it.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from insync.brokers.cluster.node import has_data, remove_data
from insync.events.run_info import RunInfo
from insync.events.schema import nodes_dir


def settle(folder: Path, run: RunInfo, needed: Collection[str]) -> list[Path]:
    """Remove the data of a run's arms that are not in `needed`; return the folders that have data.

    A run that was asked to keep its data keeps all of it.
    """
    if not run.keep_data:
        for arm in run.arms:
            if arm not in needed:
                _remove(nodes_dir(folder, arm))
    return [home for arm in run.arms if _has(home := nodes_dir(folder, arm))]


def settle_matrix(
    matrix: Path, runs: Collection[RunInfo], needed: Collection[tuple[str, str]]
) -> list[Path]:
    """Do the same for the clusters of a matrix; `needed` has versions and arms.

    The scenarios of an arm share its clusters: `KAFKA/nodes/ARM`, `ARM-2`, and so on.
    """
    homes = []
    for kafka, arm in dict.fromkeys((run.kafka, arm) for run in runs for arm in run.arms):
        own = list(_homes(nodes_dir(matrix / kafka, arm)))
        if (kafka, arm) not in needed and not any(run.keep_data for run in runs):
            for home in own:
                _remove(home)
        homes += own
    return [home for home in homes if _has(home)]


def _homes(first: Path) -> Iterator[Path]:
    """Yield the folders of an arm's clusters, one after the other."""
    number, home = 1, first
    while home.is_dir():
        yield home
        number += 1
        home = first.with_name(f"{first.name}-{number}")


def _remove(home: Path) -> None:
    for node in _nodes(home):
        remove_data(node)


def _has(home: Path) -> bool:
    return any(has_data(node) for node in _nodes(home))


def _nodes(home: Path) -> list[Path]:
    return [each for each in home.glob("[0-9]*") if each.is_dir()] if home.is_dir() else []
