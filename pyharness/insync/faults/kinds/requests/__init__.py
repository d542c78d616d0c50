"""Kinds by which topics are created, written and deleted."""
