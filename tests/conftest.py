"""Turns Hypothesis's deadline off for every test: a shared machine may be slow."""

from hypothesis import settings

settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
