"""Faults of a broker's whole disk: what its log folder is mounted from, and how that fails."""
