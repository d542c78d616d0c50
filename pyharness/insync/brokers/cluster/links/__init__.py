"""Control the network between brokers with a TCP proxy in front of each replication listener."""
