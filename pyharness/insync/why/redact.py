"""Replaces the names in answers: of topics, files and hosts. Ids of brokers stay.

A name gets the same number everywhere in an answer, by the order in which it comes. Of a line of a
log only what Kafka itself writes is kept, so that no client's or host's name is overlooked.
"""

import re
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final

from insync.why.answer import Diagnosis
from insync.why.facts import LogLine, Partition

_OF_KAFKA: Final = re.compile(
    r"(?:Shrink|Expand)ing ISR from [\d,]+ to [\d,]+|skip updating ISR"
    r"|lastCaughtUpTimeMs: \d+|Fencing broker:? \d+|session has timed out|fenced=-?\d"
    r"|(?:Unf|F)enceBrokerRecord"
    r"|(?:deleted|added) brokers: [\d,]*|started$|\bstarted\b(?= \()"
    r"|Error (?:in response|when)|marked as failed|Cancelled in-flight \w+ request"
    r"|since send: \d+ms|request timeout: \d+ms|Stopping serving (?:logs|replicas)"
    r"|GC\(\d+\) Pause|\d+\.\d+ms$"
)
_PATH: Final = re.compile(r"(?:https?:/)?[^\s:;,()]*/[^\s:;,()]*")
_HOST: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*:\d{2,5}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b")
_SERIES: Final = re.compile(r"(?<=whose series those of ).+(?= are \()")
"""Hosts as Prometheus names them, maybe without a port."""
_KAFKAS: Final = ("__consumer_offsets", "__transaction_state", "__share_group_state")


@dataclass(slots=True)
class Names:
    """Names that were replaced, with what stands for them."""

    known: dict[str, str] = field(default_factory=dict)
    topics: set[str] = field(default_factory=set)

    def of(self, kind: str, name: str) -> str:
        """Return what stands for a name of a kind."""
        count = sum(each.startswith(f"{kind}-") for each in self.known.values())
        return self.known.setdefault(name, f"{kind}-{count + 1}")

    def partition(self, known: Partition) -> Partition:
        """Return a partition of a topic without its name; Kafka's own topics keep theirs."""
        if known.topic in _KAFKAS:
            return known
        self.topics.add(known.topic)
        return Partition(self.of("topic", known.topic), known.number)

    def text(self, text: str) -> str:
        """Return a sentence of an answer without names."""
        text = _PATH.sub(lambda found: self.of("path", found[0]), text)
        text = _SERIES.sub(lambda found: self.of("host", found[0]), text)
        text = _HOST.sub(lambda found: self.of("host", found[0]), text)
        for topic in sorted(self.topics, key=len, reverse=True):
            text = re.sub(rf"(?<![\w.-]){re.escape(topic)}(?![\w.])", self.known[topic], text)
        return text

    def line(self, line: LogLine) -> LogLine:
        """Return a line of a log with only the words and numbers of Kafka that were used."""
        said = "; ".join(found[0] for found in _OF_KAFKA.finditer(line.text))
        return replace(line, file=self.of("file", line.file), text=said)

    def anything(self, value: Any) -> Any:
        """Return a part of an answer without names."""
        if isinstance(value, Partition):
            return self.partition(value)
        if isinstance(value, LogLine):
            return self.line(value)
        if isinstance(value, tuple | list):
            return type(value)(self.anything(each) for each in value)
        if is_dataclass(value) and not isinstance(value, type):
            own = {each.name: getattr(value, each.name) for each in fields(value)}
            return replace(value, **{name: self.anything(each) for name, each in own.items()})
        return self.text(value) if isinstance(value, str) else value


def redacted(answers: list[Diagnosis]) -> list[Diagnosis]:
    """Return the answers without names; partitions come first, so that sentences know topics."""
    names = Names()
    for answer in answers:
        names.anything([each.partitions for each in answer.findings])
        names.anything([each.lines for each in answer.findings])
    found: list[Diagnosis] = names.anything(answers)
    return found
