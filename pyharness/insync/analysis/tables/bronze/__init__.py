"""Bronze tables: the typed event lines of run folders."""
