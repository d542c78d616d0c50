"""Silver tables: events, intervals and operations of each repeat, with keys."""
