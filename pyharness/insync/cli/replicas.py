"""Read the replicas as their leaders see them, over the bridge, and draw them as a table."""

import dataclasses
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.live import Live
from rich.table import Table

from insync.errors import InputError
from insync.events.matrix_info import is_matrix
from insync.events.run_info import load_run
from insync.events.schema import RUN
from insync_bridge import BridgeClient, PartitionState, ReplicaState

REFRESH_SECONDS: Final = 0.5
UNLIMITED_WIDTH: Final = 500
_COLUMNS: Final = (
    "HW", "replica", "ISR", "log\nstart", "LEO", "behind", "leader\nLEO at\nfetch",
    "fetched\nms ago", "caught\nup ms\nago", "pending\nfetches", "oldest\nms",
)  # fmt: skip


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


def partitions(where: Path, topic: str) -> list[PartitionState]:
    """Ask every broker for the partitions it leads; raises BridgeError if one does not answer."""
    states = []
    for path in connection_files(where):
        with BridgeClient.connect(path) as client:
            answers = (client.replicas(*each) for each in client.led_partitions(topic))
            states += [state for state in answers if state is not None]
    return sorted(states, key=lambda state: (state.topic, state.partition))


def read(where: Path, topic: str) -> list[dict[str, Any]]:
    """Return the partitions as JSON data."""
    return [dataclasses.asdict(state) for state in partitions(where, topic)]


def show(where: Path, topic: str) -> None:
    """Print the table once; as wide as it is, where no terminal limits it."""
    console = Console()
    wide = console if console.is_terminal else Console(width=UNLIMITED_WIDTH)
    wide.print(table(partitions(where, topic)))


def watch_live(where: Path, topic: str) -> None:
    """Draw the table until Ctrl-C; raises BridgeError when the brokers have ended."""
    with suppress(KeyboardInterrupt), Live(table(partitions(where, topic))) as live:
        while True:
            time.sleep(REFRESH_SECONDS)  # the refresh interval
            live.update(table(partitions(where, topic)), refresh=True)


def table(states: Sequence[PartitionState]) -> Table:
    """Return one row per replica; a star marks the leader, the first row names the partition."""
    drawn = Table(box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    drawn.add_column("partition", no_wrap=True)
    for heading in _COLUMNS:
        # On a narrow terminal a number continues on the next line; no digit is left out.
        drawn.add_column(heading, justify="right", overflow="fold")
    for state in states:
        head = [f"{state.topic}-{state.partition}", str(state.high_watermark)]
        for replica in state.replicas:
            drawn.add_row(*head, *_cells(replica, state))
            head = [""] * len(head)
    return drawn


def _cells(replica: ReplicaState, state: PartitionState) -> list[str]:
    isr = "yes" if replica.in_isr else "[red]no[/]"
    if replica.is_leader:
        return [f"*{replica.id}", isr, "", str(state.leo), *[""] * (len(_COLUMNS) - 5)]
    oldest = max((mark.age_ms for mark in replica.pending), default=None)
    behind = None if replica.leo is None else state.leo - replica.leo
    return [
        str(replica.id), isr, _or_dash(replica.log_start_offset), _or_dash(replica.leo),
        _or_dash(behind), _or_dash(replica.last_fetch_leader_leo),
        _or_dash(_fetched_ms_ago(replica)), _or_dash(replica.lag_ms), str(len(replica.pending)),
        _or_dash(oldest),
    ]  # fmt: skip


def _fetched_ms_ago(replica: ReplicaState) -> int | None:
    """Return how long ago the last fetch was, by the clock of the broker that computed the lag."""
    if not replica.last_fetch_ms or replica.lag_ms is None or replica.last_caught_up_ms is None:
        return None
    return replica.last_caught_up_ms + replica.lag_ms - replica.last_fetch_ms


def _or_dash(value: int | None) -> str:
    return "-" if value is None else str(value)
