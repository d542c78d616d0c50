"""Compares lag policies, as a picture and as a table."""
