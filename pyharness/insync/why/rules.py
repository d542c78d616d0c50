"""The thresholds by which `insync why` decides: all of them, each with its source.

`python -m insync.why.rules` prints them. Most are shares of replica.lag.time.max.ms ("lags"),
because what a lag is too short to show harms nobody.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Final


def _rule(value: float, unit: str, says: str, source: str) -> float:
    made: float = field(default=value, metadata={"unit": unit, "says": says, "source": source})
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The thresholds; a test may pass others."""

    paused_lags: float = _rule(
        0.5, "lags",
        "a process that did not run for so long, in sum, was frozen or starved",
        "the agent reports fetches that are pending for half of the lag; a pause counts from the"
        " same time on",
    )  # fmt: skip
    paused_apart_ms: float = _rule(
        3_000, "ms",
        "pauses that are not further apart than this are one",
        "agents report their pauses once a second while fetches arrive; three such reports",
    )  # fmt: skip
    served_lags: float = _rule(
        0.5, "lags",
        "a follower's fetch that was pending for so long, without pauses, was served slowly",
        "the agent's event `pending_long`",
    )  # fmt: skip
    starved_share: float = _rule(
        0.35, "of the time",
        "a fetch during which the process did not run for so long waited for the process",
        "a choice: 0.45 with a CPU quota of 2 % in the sixth set, because a pause counts from 60 ms"
        " on; 0 with each slow disk of three sets",
    )  # fmt: skip
    served_apart_lags: float = _rule(
        0.5, "lags",
        "slow fetches that are not further apart than this are one finding",
        "a fetch that is pending for less is not reported",
    )  # fmt: skip
    same_drop_lags: float = _rule(
        1.5, "lags",
        "followers that leave ISRs within this time leave for one reason",
        "isr-expiration runs every half of the lag; a follower is then between 1 and 1.5 lags late",
    )  # fmt: skip
    alone_lags: float = _rule(
        2.0, "lags",
        "a leader that drops one follower of a partition after the other within this time, and is"
        " then alone, drops both for one reason",
        "a read stall that holds the followers' reads one after the other: 1.6 lags in a recording",
    )  # fmt: skip
    overdue_lags: float = _rule(
        2.0,
        "lags",
        "a leader that drops a follower only after it was late for so long is slow itself",
        "a leader looks for late followers every half of the lag, so 1.5 lags are the longest time",
    )
    fetching_lags: float = _rule(
        0.9, "lags",
        "a follower that was dropped and had fetched within this time does fetch, but does not"
        " catch up",
        "one that does not fetch is dropped when its last fetch is at least one lag ago",
    )  # fmt: skip
    unacked_lags: float = _rule(
        1.0, "lags",
        "a partition without any ack for so long, though records were due, is stalled",
        "a follower is dropped when it is a lag late at least; acks that stop for longer tell of"
        " more",
    )  # fmt: skip
    same_gap_lags: float = _rule(
        0.1, "lags",
        "times without acks that are not further apart than this are one",
        "a drop acks what waited for the follower, at one moment: 0.01 lags in a recording",
    )  # fmt: skip
    unexplained_lags: float = _rule(
        1.5, "lags",
        "a partition without any ack for so long, which nothing else explains, is a finding",
        "a follower in the ISR may delay acks until it is dropped, for 1.5 lags at most",
    )  # fmt: skip
    warm_up_ms: float = _rule(
        20_000, "ms",
        "slow fetches and pauses so soon after a broker's start are part of the start",
        "brokers of the first set, on a busy machine, took up to 20 s until fetches were fast",
    )  # fmt: skip
    together_ms: float = _rule(
        5_000,
        "ms",
        "brokers that the controller fences within this time, for no other reason, are the"
        " controller's matter",
        "a starved controller of the first set fenced three brokers within 4.0 s",
    )
    slow_request_ms: float = _rule(
        100,
        "ms",
        "a part of a request that takes so long on average, by JMX, is slow",
        "a choice: on healthy brokers each part takes a few ms on average",
    )
    silent_ms: float = _rule(
        2_000,
        "ms",
        "a leader that answers no fetch for so long, by JMX, is not reached",
        "four times Kafka's default of `replica.fetch.wait.max.ms`",
    )
    gc_share: float = _rule(
        0.5,
        "of the time",
        "a process that collects garbage for so long, by JMX, is the cause",
        "more than half of the time nothing else runs",
    )


DEFAULT: Final = Rules()


def as_markdown() -> str:
    """Return the thresholds as a table in Markdown."""
    return "\n".join(
        [
            "| rule | threshold | what it means | where it comes from |",
            "|---|---|---|---|",
            *_rows(),
            "",
        ]
    )


def _rows() -> Iterator[str]:
    for rule in fields(Rules):
        about = rule.metadata
        value = f"{getattr(DEFAULT, rule.name):,g} {about['unit']}"
        yield f"| `{rule.name}` | {value} | {about['says']} | {about['source']} |"


if __name__ == "__main__":
    print(as_markdown(), end="")
