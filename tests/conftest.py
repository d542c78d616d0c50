"""What holds in every test: a property has no deadline, for the machine may be a shared one."""

from hypothesis import settings

settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
