"""Writes the report of a run, one self-contained HTML page, and the page of a matrix."""
