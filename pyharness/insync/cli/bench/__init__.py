"""`insync bench`: measure the cost of the agent."""

import typer

from insync.cli.bench import overhead, scale, startup
from insync.cli.options import print_help_alone

app = typer.Typer(rich_markup_mode=None)
app.callback(
    invoke_without_command=True,
    help="Measure what the agent costs on real brokers.",
    epilog=overhead.EXAMPLES,
)(print_help_alone)
app.command("overhead", epilog=overhead.EXAMPLES)(overhead.command)
app.command("scale", epilog=scale.EXAMPLES)(scale.command)
app.command("startup", epilog=startup.EXAMPLES)(startup.command)
