"""Build Kafka 4.3.1 with KIP-501 as a source patch: `make upstream-patch`."""
