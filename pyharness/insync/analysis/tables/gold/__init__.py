"""Gold tables: figures computed from silver, per repeat and over repeats."""
