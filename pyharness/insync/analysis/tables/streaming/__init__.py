"""Computes the tables while a run is in progress, with Spark's Structured Streaming."""
