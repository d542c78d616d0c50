"""The same tables while a run goes on, by Spark's Structured Streaming."""
