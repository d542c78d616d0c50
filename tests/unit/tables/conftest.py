"""Opens the session of the engine in which the tests make and compute tables."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.connect.session import SparkSession as Connected


@pytest.fixture(autouse=True, scope="module")
def active_session(spark: SparkSession) -> None:
    """Let it be the active one: PySpark does so only if the process had none before."""
    Connected._active_session.session = spark
