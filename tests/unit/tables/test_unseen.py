"""Records are unseen from their ack, or their commit's request, until they are read."""

from pyspark.sql import SparkSession

from insync.analysis.tables.gold.unseen import unseen_over_time
from insync.analysis.tables.spark.inline_table import inline_table

FATES = (
    "run string, arm string, repeat int, topic string, partition int, acked boolean,"
    " done_ms double, asked_ms double, read_ms double"
)
REPEATS = "run string, arm string, repeat int, start_ms double, end_ms double"


def test_the_unseen_records_over_time(spark: SparkSession) -> None:
    records = [
        # partition, acked, acked at, commit requested at, read at
        (0, True, 1_010.0, None, 1_030.0),
        (0, True, 1_012.0, None, 1_100.0),
        (0, True, 1_013.0, None, 1_012.0),  # read before the ack arrived: never unseen
        (0, True, 1_020.0, 1_050.0, 1_060.0),
        (0, False, 1_020.0, None, None),
        (0, True, 900.0, None, 950.0),  # before the window
        (1, True, 1_200.0, None, None),  # lost
        (1, True, 1_200.0, None, 3_500.0),  # read after the repeat's end
    ]
    found = unseen_over_time(
        inline_table(spark, [("r", "a", 0, "t", *record) for record in records], FATES),
        inline_table(spark, [("r", "a", 0, 1_000.0, 3_400.0)], REPEATS),
    )
    rows = found.orderBy("partition", "since_ms").collect()
    assert {row["bin_ms"] for row in rows} == {10.0}
    assert [(row["partition"], row["since_ms"], row["unseen"]) for row in rows] == [
        (0, 10.0, 2), (0, 30.0, 1), (0, 50.0, 2), (0, 60.0, 1), (0, 100.0, 0),
        (1, 200.0, 2), (1, 2_400.0, 1),
    ]  # fmt: skip
