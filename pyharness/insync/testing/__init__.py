"""Kafka clusters of several brokers for anybody's tests, with the plugin or without it."""

from insync.testing.kafka_cluster import KafkaCluster

__all__ = ["KafkaCluster"]
