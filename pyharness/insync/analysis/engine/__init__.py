"""Opens the engine that computes the tables: the embedded one, or Apache Spark.

PySpark's Spark Connect client drives both, so no transform knows which one it is. Only `apache`
calls Spark's JVM.
"""

import os

CONNECT_ONLY = "SPARK_CONNECT_MODE_ENABLED"

# PySpark's functions then make columns for Spark Connect, and need no JVM.
os.environ.setdefault(CONNECT_ONLY, "1")
