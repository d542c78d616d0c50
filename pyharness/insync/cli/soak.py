"""`insync soak`: run brokers for hours while they are disturbed; judge whether anything grows."""

from typing import Annotated, Final

from insync.cli.options import Json
from insync.engine.campaign import Options
from insync.engines import require_analysis
from insync.run.request import DEFAULT_KAFKA, Kafka

EXAMPLES: Final = """\b
Examples:
  insync soak --minutes 150
  insync soak --minutes 10 --arm request --out ./soak
  insync soak --minutes 150 --arm stock --json
"""


def command(
    options: Annotated[Options, "out"],
    minutes: Annotated[float, "--minutes", "How long."],
    arm: Annotated[str, "stock, read, request or step-down."] = "step-down",
    kafka: Kafka = DEFAULT_KAFKA,
    json: Json = False,
) -> int:
    """Disturb three local brokers for a while; judge by samples whether anything grows.

    Brokers are frozen until their connections are closed, fetch sessions are evicted, topics come
    and go, and the feature is switched off and on. After each of these every broker is sampled:
    heap after a collection, threads, open files, marks of pending fetches. At the end no mark may
    be left. Ten minutes are enough to see that it works; a result needs hours.
    """
    from insync.cli.results import show_campaign
    from insync.soak.campaign import Soak

    require_analysis("soak")
    return show_campaign(Soak(kafka, arm, minutes), options, as_json=json)
