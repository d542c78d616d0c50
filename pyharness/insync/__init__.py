"""insync: shows on real brokers what a stalled Kafka leader does to its in-sync replicas."""

__version__ = "0.1.0"
