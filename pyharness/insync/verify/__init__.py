"""Judge a Kafka build beside a baseline, level by level."""
