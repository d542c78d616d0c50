"""Sends a run's events to a Kafka topic while the run goes on."""
