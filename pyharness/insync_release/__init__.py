"""Makes the files of a release from a commit: `make release`. It is not part of the wheel."""
