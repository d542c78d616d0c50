"""`insync fuzz`: run random fault schedules, judge them with the checker, reduce what fails."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from insync.cli.options import Json, require
from insync.engine.campaign import Options
from insync.fuzz.request import FuzzRequest
from insync.outcome import Outcome
from insync.result import Result

EXAMPLES: Final = """\b
Examples:
  insync fuzz --seeds 1-60
  insync fuzz --seeds 1-1000 --minutes 30 --out ./fuzz
  insync fuzz --seeds 1-1000 --out ./fuzz --resume
  insync fuzz --seeds 1-60 --shard 2/3 --arms request
  insync fuzz --seeds 1-60 --shape late-write
  insync fuzz --seeds 1-60 --kafka ./my-kafka/libs --arms stock
"""


def command(request: FuzzRequest, options: Options, json: Json = False) -> int:
    """Run random fault schedules on real brokers; judge them and reduce those that fail.

    A seed is a scenario with one to five faults. Ten seeds share a cluster per arm, and one
    analysis. A finding is an integrity violation, an error of an agent, or a cluster that does not
    come back. A failing seed is replayed and reduced to a scenario file for `insync run`.
    """
    require("fuzz", options.analysis)
    from insync.cli.output import results_console
    from insync.cli.results import run_campaign, show_result
    from insync.fuzz.campaign import REDUCED, Fuzz

    def show(found: Result, folder: Path) -> Outcome:
        """Print what was found; a reduced scenario is printed as its file, to be run again."""
        outcome = show_result(found, folder, Fuzz.part, as_json=json)
        for file in sorted((folder / REDUCED).glob("*.toml")):
            text = f"# insync run {file}\n{file.read_text(encoding='utf-8')}"
            results_console(as_json=json).print(text, soft_wrap=True, markup=False)
        return outcome

    return run_campaign(Fuzz(replace(request, out=options.out)), options, show)
