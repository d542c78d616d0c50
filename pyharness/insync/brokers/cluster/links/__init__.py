"""The network between brokers: one TCP proxy before each replication listener."""
