"""Finds internal nonmonotonic polls and poll skips: reads within one transaction.

They are Jepsen's internal variants. A transaction reads a partition's records in the order of the
log and leaves none out. From one transaction to the next the reader may go back, after an abort.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.history import PARTITION
from insync.analysis.checks.polls import back_or_skip
from insync.analysis.checks.preceding import with_previous

BACK = "int-nonmonotonic-poll"
SKIP = "int-poll-skip"


def find(reads: DataFrame, fates: DataFrame) -> DataFrame:
    """Return a row per read in a transaction that goes back, and per read that skips records.

    A record is skipped if the consumer, or another transaction, read it between the two; those of
    aborted transactions are rightly skipped. `reads` has the columns of the event lines, `fates` as
    of records.record_fates.
    """
    columns = ["nth", "offset", "seq", "read_ms"]
    own = [*PARTITION, "producer", "transaction"]
    followed = with_previous(reads.select(*own, *columns), own, "nth", columns).where(
        fn.col("previous_offset").isNotNull() & (fn.col("nth") > fn.col("previous_nth"))
    )
    places = [*PARTITION, "offset"]
    is_aborted = fn.coalesce(fn.col("end") == "aborted", fn.lit(False))
    seen_at = fn.coalesce("first_offset", "inside_offset")
    known = fates.where(~is_aborted & seen_at.isNotNull())
    known = known.select(*PARTITION, seen_at.alias("offset")).distinct()
    skipped = (fn.col("previous_offset").alias(f"skipped_{end}") for end in ("from", "to"))
    before = with_previous(known, PARTITION, "offset", ["offset"]).select(*places, *skipped)
    back = fn.col("offset") <= fn.col("previous_offset")
    odd = followed.join(before, places, "left").where(
        back | (fn.col("skipped_from") > fn.col("previous_offset"))
    )
    note = fn.concat(fn.lit("transaction "), "transaction")
    return back_or_skip(odd, back, (BACK, SKIP), "producer", note)


_BY = Check(find, ("transaction_reads.lines", "fates"))

ANOMALIES = (
    Anomaly(
        name=BACK,
        label="a transaction read backwards",
        meaning="A transaction read an offset that is not above the one that it read before.",
        shown_by="the two reads",
        by=_BY,
        metric="reordered",
    ),
    Anomaly(
        name=SKIP,
        label="a transaction skipped records",
        meaning="A transaction read a record and then a later one, and left out a record between "
        "them that another reader read.",
        shown_by="the two reads",
        by=_BY,
        metric="gaps",
    ),
)
