"""The results of a verification: page, test results, and a summary in Markdown."""
