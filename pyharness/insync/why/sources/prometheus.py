"""Reads Prometheus' answers about Kafka's usual metrics: of a server, or saved in a file.

One range query asks for all of them, by the names that the JMX exporter and Strimzi give them. A
file holds such answers, one after the other or as a list, as `curl` saves them.
"""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from insync.errors import InputError
from insync.why.facts import Facts, Gauge, Span

KINDS: Final[Mapping[str, str]] = {
    "underreplicatedpartitions": "under-replicated partitions",
    "underminisrpartitioncount": "partitions under min ISR",
    "offlinepartitionscount": "offline partitions",
    "fencedbrokercount": "fenced brokers",
    "isrshrinks": "ISR shrinks",
    "requesthandleravgidle": "idle request handlers",
    "requestmetrics_localtimems": "LocalTimeMs",
    "logflushrateandtimems": "log flush time",
    "replicafetchermanager_maxlag": "replica max lag",
}
"""What the metrics are whose names have these parts, in lower case and with underscores."""
QUERY: Final = f'{{__name__=~"(?i).*({"|".join(KINDS)}).*"}}'
_OF_CLUSTER: Final = ("fenced brokers", "offline partitions")
_REQUESTS: Final = ("fetchfollower", "produce")
_BROKER_LABELS: Final = ("broker", "broker_id", "kafka_broker_id", "node_id")
_HOST_LABELS: Final = ("strimzi_io_pod_name", "kubernetes_pod_name", "pod", "instance")
_NUMBERED: Final = re.compile(r"[A-Za-z][^:.]*?(\d+)(?:[.:]|$)")
_WITHIN_S: Final = 30.0
_POINTS: Final = 10_000
"""Prometheus refuses to answer with more than 11,000 points of a series."""
_AROUND_MS: Final = 300_000.0
"""How much before the logs is asked for, so that what is usual is known."""


def add_gauges(facts: Facts, source: str, pattern: re.Pattern[str] | None) -> None:
    """Add what Prometheus knows of the time of some facts; raises InputError."""
    unknown: set[str] = set()
    count = 0
    is_url = source.startswith(("http://", "https://"))
    for answer in [_asked(source, facts.span)] if is_url else _saved(Path(source)):
        for labels, values in _series(source, answer):
            kind = _kind(labels)
            broker = None if kind in _OF_CLUSTER else _broker(labels, pattern)
            if kind not in (None, *_OF_CLUSTER) and broker not in facts.brokers:
                unknown.add(labels.get("instance", str(broker)))
            elif kind is not None:
                count += 1
                facts.gauges += _gauges(kind, broker, values)
    facts.notes.append(f"Prometheus: {count} series of Kafka's metrics from {source}")
    if unknown:
        names = ", ".join(sorted(unknown))
        facts.gaps.append(f"Prometheus: whose series those of {names} are (--broker-from)")


def _asked(url: str, span: Span) -> Any:
    begin, end = (span.since_ms - _AROUND_MS) / 1e3, (span.until_ms + _AROUND_MS / 5) / 1e3
    step = max(15, int((end - begin) / _POINTS) + 1)
    asked = urlencode({"query": QUERY, "start": begin, "end": end, "step": step})
    try:
        with urllib.request.urlopen(  # noqa: S310  # http or https, see add_gauges
            f"{url.rstrip('/')}/api/v1/query_range?{asked}", timeout=_WITHIN_S
        ) as answer:
            return json.load(answer)
    except (OSError, urllib.error.URLError, ValueError) as error:
        raise InputError(f"--prometheus {url}: {error}, expected a Prometheus") from None


def _saved(file: Path) -> Iterator[Any]:
    """Yield the answers in a file, of which each is a JSON object or in a list of such."""
    try:
        text = file.read_text(encoding="utf-8").strip()
        while text:
            found, end = json.JSONDecoder().raw_decode(text)
            yield from found if isinstance(found, list) else [found]
            text = text[end:].strip()
    except (OSError, ValueError) as error:
        raise InputError(
            f"--prometheus {file}: {error}, expected a URL or a file of answers of query_range"
        ) from None


def _series(source: str, answer: Any) -> list[tuple[dict[str, str], list[tuple[float, float]]]]:
    """Return labels and values of the series of an answer to a range query; raises InputError."""
    try:
        return [
            (each["metric"], [(float(at_s) * 1e3, float(text)) for at_s, text in each["values"]])
            for each in answer["data"]["result"]
        ]
    except (KeyError, TypeError, ValueError):
        said = answer.get("error") if isinstance(answer, dict) else None
        said = said or "no answer of query_range"
        raise InputError(f"--prometheus {source}: {said}, expected one with values") from None


def _kind(labels: Mapping[str, str]) -> str | None:
    """Return what a series is: a metric, of local times with the request; None if of no use."""
    name = labels.get("__name__", "").lower()
    found = next((words for part, words in KINDS.items() if part in name), None)
    if found == KINDS["isrshrinks"] and "rate" in name:
        return None
    if found in (KINDS["requestmetrics_localtimems"], KINDS["logflushrateandtimems"]):
        if name.endswith(("_count", "_total", "_sum", "_max", "_created")):
            return None  # they only grow; the largest one is kept for ever
        request = labels.get("request", "")
        if found == KINDS["requestmetrics_localtimems"]:
            return f"{found} of {request}" if request.lower() in _REQUESTS else None
    return found


def _broker(labels: Mapping[str, str], pattern: re.Pattern[str] | None) -> int | None:
    """Return whose series it is: by a label, --broker-from, or the number in a host's name."""
    own = next((labels[each] for each in _BROKER_LABELS if labels.get(each, "").isdecimal()), None)
    hosts = [labels[each] for each in _HOST_LABELS if each in labels]
    if own is None and pattern is not None:
        matches = (pattern.search(each) for each in hosts)
        own = next((each[1] for each in matches if each), None)
    if own is None:
        numbers = (_NUMBERED.match(each) for each in hosts)
        own = next((each[1] for each in numbers if each), None)
    return int(own) if own is not None and own.isdecimal() else None


def _gauges(kind: str, broker: int | None, values: list[tuple[float, float]]) -> Iterator[Gauge]:
    """Yield the values of a series; of a counter by how much it grew."""
    before = None
    for at_ms, value in values:
        if isfinite(value):
            grown = 0.0 if before is None else max(0.0, value - before)
            shown = grown if kind == KINDS["isrshrinks"] else value
            before = value
            yield Gauge(kind=kind, broker=broker, at_ms=at_ms, value=shown)
