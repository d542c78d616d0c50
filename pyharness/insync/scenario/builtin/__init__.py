"""The scenarios that come with insync, one TOML file each, run by name."""
