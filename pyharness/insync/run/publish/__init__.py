"""Publish a run's events to a Kafka topic while it runs."""
