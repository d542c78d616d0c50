"""`insync bench`: measure the cost of the agent's core, and the speed of the analysis."""

import typer

from insync.cli.bench import analysis, pipeline, tracker
from insync.cli.options import print_help_alone

app = typer.Typer(rich_markup_mode=None)
app.callback(
    invoke_without_command=True,
    help="Measure the cost of the agent or of the analysis.\n\n"
    "The agent's benchmark needs a checkout, after `make bench`.",
    epilog=tracker.EXAMPLES,
)(print_help_alone)
app.command("analysis", epilog=analysis.EXAMPLES)(analysis.command)
app.command("pipeline", epilog=pipeline.EXAMPLES)(pipeline.command)
app.command("tracker", epilog=tracker.EXAMPLES)(tracker.command)
