"""Reads from NOTICE which libraries are inside the agent's jar, and under which licences."""

import re
from dataclasses import dataclass
from typing import Final

LICENCES: Final = {"Apache License 2.0": "Apache-2.0", "BSD 3-Clause License": "BSD-3-Clause"}
"""SPDX identifiers by the names in NOTICE."""
_WORDS: Final = "|".join(map(re.escape, LICENCES))
_ENTRY: Final = re.compile(
    rf"^- (?P<name>.+) (?P<version>\d[\w.]*) \((?P<url>\S+)\), (?P<licence>{_WORDS})\.",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Noticed:
    """A library as NOTICE names it: its name, version, home page, and SPDX licence."""

    name: str
    version: str
    url: str
    licence: str


def noticed(text: str) -> dict[tuple[str, str], Noticed]:
    """Return the libraries of a NOTICE file by (artifact name, version)."""
    found = {}
    for entry in _ENTRY.finditer(text):
        artifact = entry["name"].lower().replace(" ", "-")
        found[artifact, entry["version"]] = Noticed(
            entry["name"], entry["version"], entry["url"], LICENCES[entry["licence"]]
        )
    return found
