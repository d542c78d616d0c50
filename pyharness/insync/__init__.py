"""insync: what a stalled Kafka leader does to its in-sync replicas, shown on real brokers."""

__version__ = "0.1.0"
