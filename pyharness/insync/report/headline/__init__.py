"""Writes the finding of a run or a matrix in one sentence, from the figures of its arms."""
