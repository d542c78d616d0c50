"""The table and the picture that compare lag policies."""
