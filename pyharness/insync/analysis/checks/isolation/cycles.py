"""Finds cycles of dependencies between transactions: Adya's G0 and G1c, by Elle's method.

G0 is a cycle of writes: Kafka isolates no writes, so transactions that run at the same time may be
in opposite orders in two partitions. The table `cycles` shows them, and they are not an anomaly.
G1c is a cycle of reads: each transaction read what the next one wrote. Kafka forbids it, because a
transaction reads only what was committed before. Cycles of both kinds of edges are as normal as G0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.history import MOST_OPERATIONS, TOPIC, anomaly_rows
from insync.errors import InsyncError

G0 = "g0"
G1C = "g1c"
SUSPECTS = 200_000
"""The most dependencies that are searched for cycles, in the memory of this process."""
STARTS = 32
"""Through how many transactions of a group the shortest cycle is searched that shows it."""

_KIND = {"ww": G0, "wr": G1C}
_WORDS = {"ww": "after transaction {} wrote offset {}", "wr": "wrote by transaction {}, offset {}"}

Row = Mapping[str, Any]


def cycles(dependencies: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield a row per group of transactions that are connected by cycles; as in the table `cycles`.

    The argument are the rows of dependencies.dependencies, at most SUSPECTS. Raises InsyncError if
    there are more.
    """
    if not dependencies:
        return
    if len(dependencies) > SUSPECTS:
        raise InsyncError(
            f"table dependencies: more than {SUSPECTS:,} between transactions that ran at the"
            " same time, expected fewer: their cycles cannot be searched"
        )
    # Here, because it takes a fifth of a second and few runs have suspects.
    import networkx as nx

    graphs: dict[Hashable, nx.DiGraph] = defaultdict(nx.DiGraph)
    for row in dependencies:
        key = (*(row[name] for name in TOPIC), row["kind"])
        graphs[key].add_edge(row["transaction"], row["then"], row=row)
    for graph in graphs.values():
        for group in nx.strongly_connected_components(graph):
            if len(group) > 1:
                yield _described(graph.subgraph(group))


def _described(group: Any) -> dict[str, Any]:
    """Return the row of one group; its operations are the steps of a short cycle."""
    nodes = _short_cycle(group)
    steps = [
        group.edges[one, then]["row"]
        for one, then in zip(nodes, [*nodes[1:], nodes[0]], strict=True)
    ]
    first = steps[0]
    return {
        **{name: first[name] for name in TOPIC},
        "kind": _KIND[first["kind"]],
        "transactions": len(group),
        "first_transaction": min(group),
        "partition": first["partition"],
        "offset": first["then_offset"],
        "operations": [_step(row) for row in steps[:MOST_OPERATIONS]],
    }


def _short_cycle(group: Any) -> list[int]:
    """Return the transactions of the shortest cycle through one of the first STARTS."""
    import networkx as nx

    found = (
        nx.shortest_path(group, then, one)
        for one in sorted(group)[:STARTS]
        for then in group.successors(one)
    )
    shortest: list[int] = min(found, key=len)
    return shortest


def _step(row: Row) -> dict[str, Any]:
    said = _WORDS[row["kind"]].format(row["transaction"], row["offset"])
    return {
        "what": "produce" if row["kind"] == "ww" else "read",
        "who": None,
        "seq": row["then_seq"],
        "offset": row["then_offset"],
        "at_ms": None,
        "note": f"transaction {row['then']}, partition {row['partition']}, {said}",
    }


def _find(found: DataFrame) -> DataFrame:
    rows = found.where(fn.col("kind") == G1C)
    return anomaly_rows(rows, G1C, "offset", "offset", fn.col("operations"))


def _known(reads: DataFrame, partitions: DataFrame) -> DataFrame:
    """Return the partitions of the repeats in which transactions read."""
    read = reads.select(*TOPIC).distinct()
    return partitions.join(fn.broadcast(read), TOPIC, "left_semi")


ANOMALIES = (
    Anomaly(
        name=G1C,
        label="transactions read from each other",
        meaning="Each of some transactions read a record of the next one, and the last one of the "
        "first (Adya's G1c, of edges write-read only).",
        shown_by="the reads of a short cycle",
        by=Check(_find, ("cycles",)),
        metric="g1c",
        known=Check(_known, ("transaction_reads.lines", "partitions")),
        known_if="transactions read",
    ),
)
