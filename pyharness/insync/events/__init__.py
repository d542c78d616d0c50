"""Events: the files of a run folder, the line between running and analysing.

Nothing in here knows a cluster or Spark.
"""
