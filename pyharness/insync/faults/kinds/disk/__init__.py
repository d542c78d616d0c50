"""One file per fault kind of a broker's whole disk."""
