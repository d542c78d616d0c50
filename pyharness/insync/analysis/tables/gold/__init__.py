"""Gold: what is computed from silver, per repeat and over repeats."""
