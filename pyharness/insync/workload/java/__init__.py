"""Run a workload's share of Kafka's own Java clients, in a JVM (plugin-java/clients)."""
