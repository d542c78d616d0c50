"""One self-contained HTML page of a run, from its tables and its verdict."""
