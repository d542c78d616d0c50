"""`insync verify`: the command, and what it prints."""
