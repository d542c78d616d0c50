"""Bronze: the event lines of run folders, typed."""
