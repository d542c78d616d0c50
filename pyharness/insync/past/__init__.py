"""Past runs and matrices: which there are, and how two of them differ."""
