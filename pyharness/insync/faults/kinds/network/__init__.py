"""One file per fault kind of the network."""
