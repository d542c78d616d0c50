"""Reads the table of docs/operate/metrics.md."""

import re
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "operate" / "metrics.md"
ROW = re.compile(r"^\| `(kafka[^`]+)` \| \w+ \| [^|]+ \| (.*) \|$", re.M)
TAG = re.compile(r",(\w+)=([A-Z]+)$")


def names() -> Iterator[str]:
    """Yield every name with each value of its tag, without those of partitions."""
    for name, says in ROW.findall(PAGE.read_text(encoding="utf-8")):
        tag = TAG.search(name)
        if tag is None:
            yield name
        elif "topic=TOPIC" not in name:
            values = says.split(f"{tag[2]}: ")[1].split(", ")
            yield from (f"{name[: tag.start()]},{tag[1]}={value.strip('`')}" for value in values)


def canonical(name: str) -> str:
    """Return a name as JMX writes it: its keys in order."""
    domain, keys = name.split(":")
    return f"{domain}:{','.join(sorted(keys.split(',')))}"
