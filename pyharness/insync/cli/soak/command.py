"""`insync soak`: run brokers for hours while they are disturbed; judge whether anything grows."""

from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import Json, KafkaOption
from insync.extras import require_analysis
from insync.run.request import DEFAULT_KAFKA

EXAMPLES: Final = """\b
Examples:
  insync soak --hours 2.5
  insync soak --minutes 10 --arm request --out ./soak
  insync soak --hours 2.5 --arm stock --json
"""


def command(
    hours: Annotated[float | None, typer.Option(help="How long, in hours.")] = None,
    minutes: Annotated[float | None, typer.Option(help="How long, in minutes; added.")] = None,
    arm: Annotated[str, typer.Option(help="stock, read, request or step-down.")] = "step-down",
    kafka: KafkaOption = DEFAULT_KAFKA,
    out: Annotated[
        Path | None,
        typer.Option(help="New or empty output folder. Default: ./insync-runs/soak-<time>."),
    ] = None,
    json: Json = False,
) -> int:
    """Disturb three local brokers for a while; judge by samples whether anything grows.

    Brokers are frozen until their connections are closed, fetch sessions are evicted, topics come
    and go, and the feature is switched off and on. After each of these every broker is sampled:
    heap after a collection, threads, open files, marks of pending fetches. At the end no mark may
    be left. Ten minutes are enough to see that it works; a result needs hours.
    """
    from insync.brokers.kafka.builds import find
    from insync.cli.output import results_console
    from insync.cli.progress import TerminalProgress
    from insync.cli.soak.show import show
    from insync.events.soak_info import RESULT
    from insync.run.arm_support import require_arms
    from insync.run.plan import check_out, default_out, make_out, require_agent
    from insync.signals import interruptible
    from insync.soak.plan import Plan, duration_s, require_arm
    from insync.soak.runner import run_soak

    require_analysis("soak")
    seconds = duration_s(hours, minutes)
    find(kafka)
    require_arms([require_arm(arm)], kafka)
    require_agent([arm])
    folder = check_out(out or default_out("soak"))
    plan = Plan(kafka=kafka, arm=arm, seconds=seconds, out=folder)
    with interruptible(), TerminalProgress() as progress:
        make_out(folder)
        info = run_soak(plan, progress.phase)
    show(results_console(as_json=json), info, folder)
    if json:
        print((folder / RESULT).read_text(encoding="utf-8"), end="")
    return info.verdict.exit_code
