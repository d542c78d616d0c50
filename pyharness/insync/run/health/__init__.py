"""What a repeat measures beside its events: the host it runs on, and the cluster it waits for."""
