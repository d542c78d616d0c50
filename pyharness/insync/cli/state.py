"""`insync state`: show the replicas as their leaders see them, live over the bridge."""

import dataclasses
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from insync.cli.options import Json
from insync.cli.output import print_json, results_console, text_table
from insync.errors import InputError
from insync.events.matrix_info import is_matrix
from insync.events.run_info import load_run
from insync.events.schema import RUN

if TYPE_CHECKING:
    from rich.table import Table

    from insync_bridge import PartitionState, ReplicaState

EXAMPLES: Final = """\b
Examples:
  insync state ./out --watch
  insync state ./out --topic kip-501-r0 --json
  insync state /run/kafka/bridge-1.json
  insync state ./bridges --watch
"""
REFRESH_SECONDS: Final = 0.5
_COLUMNS: Final = (
    "partition | HW | replica | ISR | log\nstart | LEO | behind | leader\nLEO at\nfetch"
    " | fetched\nms ago | caught\nup ms\nago | pending\nfetches | oldest\nms"
)


def command(
    where: Annotated[
        Path,
        typer.Argument(
            metavar="RUN|DIR|CONNECTION-FILE",
            help="Folder of a run in progress or of connection files, or one connection file.",
        ),
    ],
    topic: Annotated[str, "Show only this topic."] = "",
    watch: Annotated[bool, "Refresh until Ctrl-C."] = False,
    json: Json = False,
) -> int:
    """Show every replica as its leader sees it.

    The table has each replica's lag, when it last caught up, and its pending fetches.
    """
    if watch and json:
        raise InputError("--watch and --json: expected one of them")
    states = partitions(where, topic)
    if json:
        print_json([dataclasses.asdict(state) for state in states])
    elif watch:
        from rich.live import Live

        with suppress(KeyboardInterrupt), Live(table(states)) as live:
            while True:  # until the brokers end, which is a BridgeError
                time.sleep(REFRESH_SECONDS)
                live.update(table(partitions(where, topic)), refresh=True)
    else:
        results_console().print(table(states))
    return 0


def partitions(where: Path, topic: str) -> "list[PartitionState]":
    """Ask every broker for the partitions it leads; raises BridgeError if one does not answer."""
    from insync_bridge import BridgeClient

    states = []
    for path in connection_files(where):
        with BridgeClient.connect(path) as client:
            answers = (client.replicas(*each) for each in client.led_partitions(topic))
            states += [state for state in answers if state is not None]
    return sorted(states, key=lambda state: (state.topic, state.partition))


def connection_files(where: Path) -> list[Path]:
    """Return the connection files of the run's newest cluster, or `where` if it is a file."""
    if not where.is_dir():
        return [where]
    found = [*where.glob("nodes/*/bridge/bridge-*.json"), *where.glob("bridge-*.json")]
    if not found:
        what, more = _what(where)
        raise InputError(f"{where}: {what}, expected a running arm with the agent{more}")
    newest = max(found, key=lambda path: path.stat().st_mtime).parent
    return sorted(path for path in found if path.parent == newest)


def _what(where: Path) -> tuple[str, str]:
    """Return what a folder without connections is, and what to do with it."""
    if is_matrix(where):
        return "a matrix", f", such as {where}/KAFKA/SCENARIO while it runs"
    if not (where / RUN).is_file():
        return "no connection file", ""
    finished_ms = load_run(where).finished_ms
    if finished_ms is None:
        return "a run that was cut short, or whose brokers do not run yet", ""
    ended = datetime.fromtimestamp(finished_ms / 1e3, UTC)
    return f"a run that ended at {ended:%Y-%m-%d %H:%M} UTC", f"; insync report {where} shows it"


def table(states: "Sequence[PartitionState]") -> "Table":
    """Return one row per replica; a star marks the leader, the first row names the partition."""
    return text_table(_COLUMNS, (row for state in states for row in _rows(state)))


def _rows(state: "PartitionState") -> Iterator[list[str]]:
    head = [f"{state.topic}-{state.partition}", str(state.high_watermark)]
    for replica in state.replicas:
        yield [*head, *_cells(replica, state)]
        head = ["", ""]


def _cells(replica: "ReplicaState", state: "PartitionState") -> list[str]:
    isr = "yes" if replica.in_isr else "[red]no[/]"
    if replica.is_leader:
        return [f"*{replica.id}", isr, "", str(state.leo), *[""] * 6]
    figures = (
        replica.log_start_offset,
        replica.leo,
        None if replica.leo is None else state.leo - replica.leo,
        replica.last_fetch_leader_leo,
        _fetched_ms_ago(replica),
        replica.lag_ms,
        len(replica.pending),
        max((mark.age_ms for mark in replica.pending), default=None),
    )
    return [str(replica.id), isr, *("-" if each is None else str(each) for each in figures)]


def _fetched_ms_ago(replica: "ReplicaState") -> int | None:
    """Return how long ago the last fetch was, by the clock of the broker that computed the lag."""
    if not replica.last_fetch_ms or replica.lag_ms is None or replica.last_caught_up_ms is None:
        return None
    return replica.last_caught_up_ms + replica.lag_ms - replica.last_fetch_ms
