"""Draws what happened in each repeat over time."""
