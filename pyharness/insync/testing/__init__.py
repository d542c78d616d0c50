"""Provide Kafka clusters of several brokers for tests, with or without the plugin."""

from insync.testing.kafka_cluster import KafkaCluster

__all__ = ["KafkaCluster"]
