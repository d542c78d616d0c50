"""Kafka clusters to test on: nodes as local processes, their topics, the controller's log."""
