"""What a cluster's controller wrote: KRaft's metadata log, or the log of a ZooKeeper server."""
