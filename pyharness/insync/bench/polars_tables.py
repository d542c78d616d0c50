"""Computes the tables of a synthetic history with Polars: the rows of `analysis.tables.measure`."""

from __future__ import annotations

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
    )
    found = [
        _counted(fates.filter(lost), "lost-write"),
        _counted(fates.filter(twice), "duplicate"),
        _reordered(fates),
    ]
    del fates
    found += [*_polls(consume), _inconsistent(produce, consume)]
    anomalies = pl.concat(found).group_by(*KEYS, "kind").agg(pl.col("anomalies").sum())
    return {"readback": readback.to_dicts(), "anomalies": anomalies.to_dicts()}


def _scan(folder: Path, name: str) -> pl.LazyFrame:
    return pl.scan_parquet(folder / name / "*.parquet")


def _rows(frame: pl.LazyFrame) -> Rows:
    return frame.collect(engine="streaming").to_dicts()


def _histogram(produce: pl.LazyFrame) -> pl.DataFrame:
    micros = (pl.col("acked_ms") * 1000).floor().cast(pl.Int64)
    told = produce.select(
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
        told.with_columns(_bucket(pl.col("us")).alias("bucket_us"))
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


def _counted(rows: pl.DataFrame, kind: str) -> pl.DataFrame:
    counted = rows.group_by(KEYS).agg(pl.len().cast(pl.Int64).alias("anomalies"))
    return counted.select(*KEYS, pl.lit(kind).alias("kind"), "anomalies")


def _reordered(fates: pl.DataFrame) -> pl.DataFrame:
    position = pl.coalesce("offset", "first_offset")
    placed = fates.with_columns(position.alias("position")).drop_nulls("position")
    placed = placed.sort("position")
    real = placed.filter(pl.col("sent_ms").is_not_null())
    most_ms = pl.col("sent_ms").cum_max().shift(1).over(KEYS)
    late = real.with_columns(most_ms.alias("most")).filter(
        pl.col("acked") & (pl.col("most") > pl.col("done_ms"))
    )
    own = placed.filter("idempotent")
    most_seq = pl.col("seq").cum_max().shift(1).over(*KEYS, "producer")
    again = own.with_columns(most_seq.alias("most")).filter(pl.col("most") > pl.col("seq"))
    culprits = [rows.unique([*KEYS, "most"]).select(KEYS) for rows in (late, again)]
    return _counted(pl.concat(culprits), "nonmonotonic-send")


def _polls(consume: pl.LazyFrame) -> list[pl.DataFrame]:
    of_consumer = [*KEYS, "consumer"]
    read = (
        consume.select(*of_consumer, "nth", "offset")
        .sort("nth")
        .with_columns(
            pl.col("offset").shift(1).over(of_consumer).alias("before"),
            pl.col("nth").shift(1).over(of_consumer).alias("nth_before"),
        )
    )
    again = (pl.col("offset") == pl.col("before")) & (pl.col("nth") == pl.col("nth_before"))
    back = read.filter((pl.col("offset") <= pl.col("before")) & ~again)
    skipped = read.filter(pl.col("offset") > pl.col("before") + 1)
    back_rows, skip_rows = pl.collect_all([back, skipped])
    return [_counted(back_rows, "nonmonotonic-poll"), _counted(skip_rows, "poll-skip")]


def _inconsistent(produce: pl.LazyFrame, consume: pl.LazyFrame) -> pl.DataFrame:
    acks = produce.filter(_ACKED & (pl.col("offset") >= 0)).select(*KEYS, "offset", "seq")
    seen = (
        pl.concat([acks, consume.select(*KEYS, "offset", "seq")])
        .group_by(*KEYS, "offset")
        .agg(pl.col("seq").min().alias("low"), pl.col("seq").max().alias("high"))
        .filter(pl.col("low") < pl.col("high"))
    )
    return _counted(seen.collect(engine="streaming"), "inconsistent-offsets")
