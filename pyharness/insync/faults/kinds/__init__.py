"""One file per kind of fault."""
