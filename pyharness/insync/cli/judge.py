"""The end of `run` and `report`: the analysis, what it found, and the exit code."""

import json
import sys
from pathlib import Path
from typing import Final

from insync.cli.progress import RichWatch
from insync.cli.summary import show_verdict
from insync.kafka.java import find_java
from insync.run.analysis import analyse
from insync.run.request import SparkOptions

EXIT_CODES: Final = {"pass": 0, "fail": 1, "unknown": 3}


def analyse_and_show(folder: Path, spark: SparkOptions, watch: RichWatch, *, as_json: bool) -> int:
    """Analyse a run folder, print the verdict as words or JSON, return the exit code."""
    verdict = analyse(folder, spark, find_java(), watch)
    watch.stop()
    show_verdict(verdict, folder)
    if as_json:
        json.dump(verdict, sys.stdout, indent=2)
        print()
    return EXIT_CODES[verdict["verdict"]]
