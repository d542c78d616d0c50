"""Silver: what happened in each repeat, cleaned and keyed."""
