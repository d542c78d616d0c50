"""Runs brokers for hours while they are disturbed, and judges whether anything grows."""
