"""What happened in each repeat over time, and its pictures."""
