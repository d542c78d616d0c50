"""`insync check`: say of a scenario, without a broker, what a run of it would do or refuse."""

from typing import Annotated, Final

from insync.cli.options import Json
from insync.outcome import Outcome
from insync.run.request import RunRequest

EXAMPLES: Final = """\b
Examples:
  insync check my.toml
  insync check my.toml --arms stock,step-down --kafka ./my-kafka/libs
  insync check kip-501 --scale 0.2 --json
"""


def command(
    request: Annotated[
        RunRequest, "scenario", "arms", "kafka", "cluster", "scale", "unknown_methods"
    ],
    json: Json = False,
) -> int:
    """Say of a scenario what a run of it would do, or why it is refused; no broker starts.

    It names what each fault does and when, what is expected of each arm, what this machine cannot
    do, and what the agent cannot weave in a build of one's own.
    """
    from insync.cli.output import TerminalProgress, results_console
    from insync.run.plan import prepare
    from insync.verify.check import check

    with TerminalProgress() as progress:
        result = check(request, prepare(request, progress), progress)
    if json:
        print(result.model_dump_json(indent=2))
    console = results_console(as_json=json)
    for part in result.children:
        for path, each in part.checks():
            words = ": ".join([part.of, *path, each.found])
            mark = "" if each.outcome is Outcome.PASS else f"{each.outcome.mark} "
            console.print(f"{mark}{words}", markup=False, soft_wrap=True)
    code = result.outcome.verdict.exit_code
    console.print(f"{result.of}: {'can run' if code == 0 else 'would prove nothing as it is'}")
    return code
