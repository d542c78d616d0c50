"""Many scenarios on many arms: which runs, on whose clusters, side by side; the runs are run's."""
