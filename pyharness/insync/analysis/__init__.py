"""From the files of a run to tables, verdict and report, in this order. Knows no broker."""
