"""The lists of files in CONTRIBUTING.md are those in which their examples occur."""

import re
import subprocess
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("pyharness", "plugin-java", "bridge", "gradle", "tests/unit")
SCENARIOS = "pyharness/insync/scenario/builtin/"
MOST_FILES = {"A scenario": 2, "An arm": 2, "A metric": 1}

# Files in which an example occurs as one name among others: nobody touches them to add another.
USES = {
    "A fault kind": {
        "pyharness/insync/bugs/corpus/*.toml": "the faults by which bugs show",
        "pyharness/insync/fuzz/values.py": "the kinds that remove what a replica has written",
        "tests/unit/faults/test_[cr]*.py": "the kinds by tag; the one that containers lack",
        "tests/unit/tables/test_leaders.py": "a follower that stopped fetching, by several kinds",
        "tests/unit/verdict/test_fault_evidence.py": "a case of missing evidence per kind",
    },
    "A metric": {"tests/unit/sensitivity/*.py": "only a metric that a built-in scenario bounds"},
    "An arm": {
        "tests/unit/run/test_requirements.py": "what a group's arms need of a machine",
        "tests/unit/run/test_plan.py": "one arm that another version lacks",
        "tests/unit/run/test_*support.py": "the arms of each version, spelled out",
        "tests/unit/verdict/test_findings.py": "one arm of which a scenario expects nothing",
        "tests/unit/matrix/test_campaign.py": "the arms of one scenario of a matrix",
    },
    "A Kafka version within a range": {
        "pyharness/insync/bugs/corpus/*.toml": "the releases that bugs are played on",
        "pyharness/insync/kafka_tests/pins/*.toml": "the jars of Kafka's own tests, if published",
    },
    "An anomaly": {
        "tests/unit/checks/test_planted.py": "a history that only this anomaly spoils",
        "tests/unit/checks/test_registry.py": "an anomaly with the name that it had before",
    },
}


@dataclass(frozen=True)
class Section:
    """What CONTRIBUTING.md says of one thing that can be added."""

    title: str
    example: str
    paths: tuple[str, ...]

    @property
    def stem(self) -> str:
        return self.example.replace("-", "_")

    def patterns(self) -> dict[str, re.Pattern[str]]:
        """Return each path of the list with what it stands for."""
        return {path: re.compile(self._pattern(path)) for path in self.paths}

    def _pattern(self, path: str) -> str:
        name = self.stem if path.endswith(".py") else self.example
        for word, means in (("NAME", re.escape(name)), ("GROUP", "[^/]+"), ("SCENARIO", "[^/]+")):
            path = path.replace(word, f"\0{means}\0")
        parts = path.split("\0")
        return "".join(part if i % 2 else re.escape(part) for i, part in enumerate(parts)) + "$"


def sections() -> list[Section]:
    text = (ROOT / "CONTRIBUTING.md").read_text().partition("## How to add")[2]
    found = []
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        title = part.partition("\n")[0]
        example = re.search(r"^Example: `(.+)`$", part, re.MULTILINE)
        assert example, title
        paths = tuple(re.findall(r"^- `(.+?)`:", part, re.MULTILINE))
        found.append(Section(title, example.group(1), paths))
    return found


def touched(section: Section) -> set[str]:
    """Return the files that hold the example as a whole word, or in their own name."""
    word = re.escape(section.example)
    whole = rf"(^|[^a-zA-Z0-9_.-]){word}([^a-zA-Z0-9_.-]|$)"
    grep = ["git", "grep", "--untracked", "-lE", whole, "--", *SOURCES]
    done = subprocess.run(grep, cwd=ROOT, capture_output=True, text=True, check=False)
    files = set(done.stdout.split())
    list_all = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *SOURCES]
    every = subprocess.run(list_all, cwd=ROOT, capture_output=True, text=True, check=True)
    stems = (section.example, section.stem, f"test_{section.stem}")
    files |= {file for file in every.stdout.split() if Path(file).stem in stems}
    uses = USES.get(section.title, {})
    return {
        file
        for file in files
        if (ROOT / file).is_file()
        and not any(fnmatch(file, use) for use in uses)
        and (not file.startswith(SCENARIOS) or any(SCENARIOS in path for path in section.paths))
    }


@pytest.mark.parametrize("section", sections(), ids=lambda section: section.title)
def test_a_list_is_what_its_example_touches(section: Section) -> None:
    patterns = section.patterns()
    files = touched(section)
    unlisted = {file for file in files if not any(each.match(file) for each in patterns.values())}
    unused = {path for path, each in patterns.items() if not any(map(each.match, files))}
    assert (unlisted, unused) == (set(), set())


def test_the_lists_are_short() -> None:
    for section in sections():
        assert 0 < len(section.paths) <= MOST_FILES.get(section.title, 3), section.title
