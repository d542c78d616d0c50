"""Run cells side by side, and campaigns of them: with progress, resumption, shards and results."""
