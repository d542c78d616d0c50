"""Opens the session of the engine in which the tests make and compute tables."""

import pytest
from pyspark.sql import SparkSession


@pytest.fixture(autouse=True, scope="session")
def _session(spark: SparkSession) -> None:
    """Let it be the active one."""
