"""The commands about past results: list them, compare two of them."""
