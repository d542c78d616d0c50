"""Runs Kafka's own test classes on a build of Kafka, without and with the agent, and compares."""
