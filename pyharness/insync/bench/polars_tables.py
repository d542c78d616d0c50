"""Computes the tables of a synthetic history with Polars: the rows of `analysis.tables.measure`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

KEYS: Final = ["run", "arm", "repeat", "topic", "partition"]
TOPIC: Final = KEYS[:-1]
PERMILLE: Final = {"p50_ms": 500, "p90_ms": 900, "p99_ms": 990, "p999_ms": 999}
_DIGITS: Final = 4
_DECADES: Final = 8

Rows = list[dict[str, Any]]

_ACKED: Final = pl.col("done_ms").is_not_null() & pl.col("error").is_null()


def aggregates(folder: Path) -> dict[str, Rows]:
    """Compute the gold tables whose input grows with the records."""
    produce, partitions = _scan(folder, "produce"), _scan(folder, "partitions")
    counted = _histogram(produce)
    whole = _merged(counted, TOPIC).with_columns(pl.lit(None, pl.Int32).alias("partition"))
    latency = pl.concat([_latency(counted), _latency(whole).select(_latency(counted).columns)])
    return {
        "ack_latency": latency.to_dicts(),
        "ack_gaps": _rows(_gaps(produce, partitions)),
        "errors": _rows(
            produce.filter(pl.col("error").is_not_null())
            .group_by(*KEYS, "error")
            .agg(
                pl.len().alias("records"),
                pl.col("sent_ms").min().alias("first_ms"),
                pl.col("sent_ms").max().alias("last_ms"),
            )
        ),
    }


def checks(folder: Path) -> dict[str, Rows]:
    """Compute the checker's tables."""
    produce, consume = _scan(folder, "produce"), _scan(folder, "consume")
    fates = _fates(produce, consume).collect(engine="streaming")
    lost = pl.col("acked") & (pl.col("times_read") == 0)
    twice = pl.col("first_offset") < pl.col("last_offset")
    readback = fates.group_by(KEYS).agg(
        pl.col("acked").sum(),
        (pl.col("times_read") > 0).sum().alias("read"),
        lost.sum().alias("lost"),
        twice.sum().alias("duplicated"),
        (twice & pl.col("idempotent")).sum().alias("duplicated_idempotent"),
    )
    found = [
        _anomalies(
            fates.filter(lost),
            "lost-write",
            ("offset", "offset"),
            [_op("ack", who="producer", offset="offset", at_ms="done_ms")],
        ),
        _anomalies(
            fates.filter(twice),
            pl.when("idempotent")
            .then(pl.lit("idempotent-duplicate"))
            .otherwise(pl.lit("duplicate")),
            ("first_offset", "last_offset"),
            [
                _op("produce", who="producer", offset="offset", at_ms="sent_ms", note="idempotent"),
                _op("read", offset="first_offset"),
                _op("read", offset="last_offset"),
            ],
        ),
        *_reordered(fates),
    ]
    del fates
    found += [*_polls(consume), _inconsistent(produce, consume)]
    return {
        "readback": readback.to_dicts(),
        "anomalies": [row for table in found for row in table.to_dicts()],
    }


def _scan(folder: Path, name: str) -> pl.LazyFrame:
    return pl.scan_parquet(folder / name / "*.parquet")


def _rows(frame: pl.LazyFrame) -> Rows:
    return frame.collect(engine="streaming").to_dicts()


def _histogram(produce: pl.LazyFrame) -> pl.DataFrame:
    micros = (pl.col("acked_ms") * 1000).floor().cast(pl.Int64)
    outcomes = produce.select(
        *KEYS,
        pl.when(_ACKED)
        .then(pl.lit("acked"))
        .when(pl.col("error").is_not_null())
        .then(pl.lit("failed"))
        .otherwise(pl.lit("unanswered"))
        .alias("outcome"),
        pl.when(_ACKED).then("latency_ms").alias("acked_ms"),
    ).with_columns(micros.alias("us"))
    return (
        outcomes.with_columns(_bucket(pl.col("us")).alias("bucket_us"))
        .group_by(*KEYS, "outcome", "bucket_us")
        .agg(
            pl.len().cast(pl.Int64).alias("records"),
            pl.col("acked_ms").max().alias("top_ms"),
            pl.col("us").sum().alias("total_us"),
        )
        .collect(engine="streaming")
    )


def _bucket(us: pl.Expr) -> pl.Expr:
    cut = us - us % 10**_DECADES
    for decade in reversed(range(1, _DECADES)):
        step = 10**decade
        cut = pl.when(us < step * 10**_DIGITS).then(us - us % step).otherwise(cut)
    return pl.when(us < 10**_DIGITS).then(us).otherwise(cut)


def _merged(counted: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return counted.group_by(*keys, "outcome", "bucket_us").agg(
        pl.col("records").sum(), pl.col("top_ms").max(), pl.col("total_us").sum()
    )


def _latency(counted: pl.DataFrame) -> pl.DataFrame:
    acked = counted.filter(pl.col("outcome") == "acked").sort("bucket_us")
    ranked = acked.with_columns(
        pl.col("records").cum_sum().over(KEYS).alias("upto"),
        pl.col("records").sum().over(KEYS).alias("total"),
    )
    found = ranked.group_by(KEYS).agg(
        *(
            pl.col("top_ms").filter(pl.col("upto") * 1000 >= pl.col("total") * share).min().alias(n)
            for n, share in PERMILLE.items()
        ),
        pl.col("top_ms").max().alias("max_ms"),
        (pl.col("total_us").sum() / pl.col("records").sum() / 1000).alias("mean_ms"),
    )
    words = ("acked", "failed", "unanswered")
    counts = counted.group_by(KEYS).agg(
        pl.col("records").sum().alias("sent"),
        *(pl.col("records").filter(pl.col("outcome") == word).sum().alias(word) for word in words),
    )
    return counts.join(found, on=KEYS, how="left", nulls_equal=True)


def _gaps(produce: pl.LazyFrame, partitions: pl.LazyFrame) -> pl.LazyFrame:
    answered = pl.col("done_ms").fill_null(float("inf"))
    settled = produce.group_by(KEYS).agg(
        pl.max_horizontal("sent_ms", answered).max().alias("settled_ms")
    )
    edges = partitions.join(settled, on=KEYS, how="left").select(
        *KEYS,
        pl.concat_list("start_ms", pl.min_horizontal("end_ms", "settled_ms")).alias("to_ms"),
    )
    acks = (
        produce.filter(_ACKED)
        .join(partitions, on=KEYS)
        .filter(pl.col("done_ms").is_between("start_ms", "end_ms"))
        .select(*KEYS, pl.col("done_ms").alias("to_ms"))
    )
    before = pl.col("to_ms").shift(1).over(KEYS)
    gap = pl.struct(
        (pl.col("to_ms") - pl.col("from_ms")).alias("gap_ms"), pl.col("from_ms"), pl.col("to_ms")
    )
    return (
        pl.concat([edges.explode("to_ms"), acks])
        .sort("to_ms")
        .with_columns(before.alias("from_ms"))
        .filter(pl.col("from_ms").is_not_null())
        .select(*KEYS, gap.alias("gap"))
        .unnest("gap")
        .sort("gap_ms", "from_ms", "to_ms", descending=True)
        .unique(KEYS, keep="first", maintain_order=True)
    )


def _fates(produce: pl.LazyFrame, consume: pl.LazyFrame) -> pl.LazyFrame:
    sent = produce.select(
        *KEYS,
        "seq",
        "sent_ms",
        "done_ms",
        "producer",
        "idempotent",
        _ACKED.alias("acked"),
        pl.when(_ACKED).then("offset").alias("offset"),
        pl.lit(None, pl.Int64).alias("read_offset"),
    )
    read = consume.select(*KEYS, "seq", pl.col("offset").alias("read_offset"))
    return (
        pl.concat([sent, read], how="diagonal")
        .group_by(*KEYS, "seq")
        .agg(
            pl.col("sent_ms").max(),
            pl.col("done_ms").max(),
            pl.col("producer").max(),
            pl.col("idempotent").any(),
            pl.col("acked").any(),
            pl.col("offset").min(),
            pl.col("read_offset").count().alias("times_read"),
            pl.col("read_offset").min().alias("first_offset"),
            pl.col("read_offset").max().alias("last_offset"),
        )
    )


def _op(
    what: str,
    *,
    who: str | None = None,
    seq: str = "seq",
    offset: str,
    at_ms: str | None = None,
    note: str | None = None,
) -> pl.Expr:
    """Return an operation of an anomaly; the arguments are columns. `note` is one of booleans."""

    def named(column: str | None, kind: type[pl.DataType], name: str) -> pl.Expr:
        return (pl.lit(None) if column is None else pl.col(column)).cast(kind).alias(name)

    noted = pl.lit(None, pl.String) if note is None else pl.when(note).then(pl.lit(note))
    return pl.struct(
        pl.lit(what).alias("what"),
        named(who, pl.Int32, "who"),
        named(seq, pl.Int64, "seq"),
        named(offset, pl.Int64, "offset"),
        named(at_ms, pl.Float64, "at_ms"),
        noted.alias("note"),
    )


def _anomalies(
    rows: pl.DataFrame,
    kind: str | pl.Expr,
    offsets: tuple[str, str],
    operations: Sequence[pl.Expr],
) -> pl.DataFrame:
    first, last = offsets
    return rows.select(
        *KEYS,
        (pl.lit(kind) if isinstance(kind, str) else kind).alias("kind"),
        pl.col(first).alias("offset"),
        pl.col(last).alias("last_offset"),
        pl.concat_list(operations).alias("operations"),
    )


def _reordered(fates: pl.DataFrame) -> list[pl.DataFrame]:
    position = pl.coalesce("offset", "first_offset")
    placed = fates.with_columns(position.alias("position")).drop_nulls("position")
    placed = placed.sort("position")
    real = placed.filter(pl.col("sent_ms").is_not_null())
    most_ms = pl.col("sent_ms").cum_max().shift(1).over(KEYS)
    late = real.with_columns(most_ms.alias("most")).filter(
        pl.col("acked") & (pl.col("most") > pl.col("done_ms"))
    )
    own = placed.filter("idempotent")
    sender = [*KEYS, "producer"]
    most_seq = pl.col("seq").cum_max().shift(1).over(sender)
    again = own.with_columns(most_seq.alias("most")).filter(pl.col("most") > pl.col("seq"))
    return [_overtaken(late, real, KEYS, "sent_ms"), _overtaken(again, own, sender, "seq")]


def _overtaken(wrong: pl.DataFrame, rows: pl.DataFrame, keys: list[str], most: str) -> pl.DataFrame:
    """Return one anomaly per row with the largest `most` before some of the rows `wrong`."""
    first = pl.col("seq", "producer", "done_ms").sort_by("position").first()
    passed = wrong.group_by(*keys, "most").agg(
        first.name.prefix("passed_"),
        pl.col("position").min().alias("passed_position"),
        pl.col("position").max().alias("last_position"),
    )
    return _anomalies(
        rows.join(passed, left_on=[*keys, most], right_on=[*keys, "most"]),
        "nonmonotonic-send",
        ("position", "last_position"),
        [
            _op("produce", who="producer", offset="position", at_ms="sent_ms"),
            _op(
                "ack",
                who="passed_producer",
                seq="passed_seq",
                offset="passed_position",
                at_ms="passed_done_ms",
            ),
        ],
    )


def _polls(consume: pl.LazyFrame) -> list[pl.DataFrame]:
    of_consumer = [*KEYS, "consumer"]
    columns = ("nth", "offset", "seq", "read_ms")
    read = (
        consume.select(*of_consumer, *columns)
        .sort("nth")
        .with_columns(pl.col(columns).shift(1).over(of_consumer).name.prefix("before_"))
    )
    again = (pl.col("offset") == pl.col("before_offset")) & (pl.col("nth") == pl.col("before_nth"))
    back = read.filter((pl.col("offset") <= pl.col("before_offset")) & ~again)
    skipped = read.filter(pl.col("offset") > pl.col("before_offset") + 1).with_columns(
        (pl.col("before_offset") + 1).alias("from"), (pl.col("offset") - 1).alias("to")
    )
    shown = [
        _op(
            "read",
            who="consumer",
            seq="before_seq",
            offset="before_offset",
            at_ms="before_read_ms",
        ),
        _op("read", who="consumer", offset="offset", at_ms="read_ms"),
    ]
    back_rows, skip_rows = pl.collect_all([back, skipped])
    return [
        _anomalies(back_rows, "nonmonotonic-poll", ("offset", "before_offset"), shown),
        _anomalies(skip_rows, "poll-skip", ("from", "to"), shown),
    ]


def _inconsistent(produce: pl.LazyFrame, consume: pl.LazyFrame) -> pl.DataFrame:
    place = [*KEYS, "offset"]
    acks = produce.filter(_ACKED & (pl.col("offset") >= 0)).select(
        *place, pl.col("seq").alias("acked"), pl.lit(None, pl.Int64).alias("read")
    )
    reads = consume.select(
        *place, pl.lit(None, pl.Int64).alias("acked"), pl.col("seq").alias("read")
    )
    seen = (
        pl.concat([acks, reads])
        .group_by(place)
        .agg(
            pl.col("acked", "read").min().name.prefix("low_"),
            pl.col("acked", "read").max().name.prefix("high_"),
        )
        .filter(
            pl.min_horizontal("low_acked", "low_read")
            < pl.max_horizontal("high_acked", "high_read")
        )
        .collect(engine="streaming")
    )
    shown = [
        (_op(what, seq=f"{end}_{side}", offset="offset"), _is_new(end, side))
        for what, side in (("ack", "acked"), ("read", "read"))
        for end in ("low", "high")
    ]
    operations = [pl.when(new).then(op) for op, new in shown]
    found = _anomalies(seen, "inconsistent-offsets", ("offset", "offset"), operations)
    return found.with_columns(pl.col("operations").list.drop_nulls())


def _is_new(end: str, side: str) -> pl.Expr:
    low, high = pl.col(f"low_{side}"), pl.col(f"high_{side}")
    return low.is_not_null() if end == "low" else low < high
