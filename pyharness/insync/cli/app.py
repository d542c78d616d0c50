"""Register all commands, and convert errors to exit codes.

0 pass, 1 fail, 2 bad usage or input, 3 unknown (cut short, or no verdict possible).
"""

import os
import sys
from typing import Annotated

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from insync import __version__
from insync.cli import (
    agent,
    bugs,
    check,
    faults,
    fuzz,
    image,
    kafka_tests,
    matrix,
    overhead,
    run,
    scenarios,
    soak,
    state,
    verify,
    why,
)
from insync.cli.options import BAD_INPUT, GIVEN, UNKNOWN, flat, print_help_alone
from insync.cli.past import compare, report, runs, tables
from insync.errors import InputError, InsyncError, report_crash

app = typer.Typer(name="insync", add_completion=False, no_args_is_help=False, rich_markup_mode=None)
for module in (
    run, matrix, fuzz, bugs, kafka_tests, verify, soak, overhead, faults, scenarios, check, report,
    runs, compare, tables, agent, state, why,
):  # fmt: skip
    own_name = module.__name__.rpartition(".")[2].replace("_", "-")
    app.command(own_name, epilog=module.EXAMPLES)(flat(module.command))
app.add_typer(image.app, name="image")


def _version(requested: bool) -> None:
    if requested:
        print(f"insync {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True, epilog="Example: insync run kip-501 --scale 0.2")
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Show on real brokers what a stalled Kafka leader does to its in-sync replicas.

    Exit codes: 0 pass, 1 fail, 2 bad usage or input, 3 unknown.
    """
    print_help_alone(context)


def main() -> None:
    """Run the command line and exit; every error is one line on standard error."""
    sys.exit(_flushed(invoke(sys.argv[1:])))


def _flushed(code: int) -> int:
    """Write what standard output still buffers, and return the exit code: 3 if it cannot be."""
    try:
        sys.stdout.flush()
    except OSError as error:
        # Python flushes again at its end, and would print a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _complain(f"standard output: {type(error).__name__}: {error}", UNKNOWN)
    return code


def invoke(arguments: list[str]) -> int:
    """Run one command and return its exit code.

    An error that is not expected has its traceback on standard error.
    """
    GIVEN.set(arguments)
    try:
        code = get_command(app).main(args=arguments, prog_name="insync", standalone_mode=False)
    except TyperException as error:
        return _complain(error.format_message(), BAD_INPUT)
    except InputError as error:
        return _complain(str(error), BAD_INPUT, all_lines=True)
    except InsyncError as error:
        return _complain(str(error), UNKNOWN)
    except OSError as error:
        return _complain(f"{type(error).__name__}: {error}", UNKNOWN)
    except Exception as error:  # Python would exit with 1, the code of "fail"
        return report_crash(error)
    return code if isinstance(code, int) else 0


def _complain(text: str, code: int, *, all_lines: bool = False) -> int:
    """Print what is wrong: on one line, or one line per problem; return the exit code."""
    for line in text.splitlines() if all_lines else [text]:
        print(f"insync: {' '.join(line.split())}", file=sys.stderr)
    return code
