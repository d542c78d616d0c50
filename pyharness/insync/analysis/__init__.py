"""Computes the tables of a run's files, then its verdict and its report, without any broker."""
