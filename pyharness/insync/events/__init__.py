"""Define the files of a run folder, through which runs and analysis exchange data.

This package knows neither clusters nor Spark.
"""
