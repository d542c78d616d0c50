"""Build Kafka 4.3.1 with KIP-501 as source patches: `make upstream-patch`."""
