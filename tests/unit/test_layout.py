"""Which package may import which, read from the sources."""

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pyharness" / "insync"
BRIDGE = ROOT / "bridge" / "python" / "insync_bridge"

CLUSTERS = {"brokers.kafka", "brokers.docker", "brokers.images", "brokers.cluster"}
# Running and analysing share files only. For each package: the other packages it may import.
# Modules directly under `insync` are open to all; they import nothing but each other.
MAY_IMPORT: dict[str, set[str]] = {
    "events": set(),
    "scenario": {"faults"},
    "brokers.kafka": set(),
    "brokers.docker": set(),
    "brokers.images": {"brokers.kafka", "brokers.docker"},
    "brokers.cluster": CLUSTERS,
    "faults": {"events", "workload", "brokers.kafka", "brokers.cluster", "brokers.docker"},
    "workload": {"events"},
    "run": {"events", "scenario", "faults", "workload", *CLUSTERS},
    "engine": {"events", "faults", "brokers.kafka", "run", "report"},
    "matrix": {"events", "scenario", "brokers.kafka", "run", "engine", "report"},
    "fuzz": {"events", "scenario", "faults", "brokers.kafka", "run", "engine", "report"},
    "bugs": {"events", "scenario", "run", "engine", "report"},
    "testing": {"analysis.verdict", "events", "faults", "scenario", "workload", "run", *CLUSTERS},
    "kafka_tests": {"events", "brokers.kafka", "run", "engine", "report"},
    "verify": {
        "overhead",
        "kafka_tests",
        "events",
        "scenario",
        "faults",
        "run",
        "engine",
        "matrix",
        "fuzz",
        "report",
        "brokers.kafka",
    },
    "overhead": {"events", "brokers.kafka", "brokers.cluster", "run", "engine", "report"},
    "soak": {"overhead", "events", "testing", "report", "run", "engine", *CLUSTERS},
    "why": {"events", "brokers.kafka", "brokers.cluster", "report", "analysis.engine"},
    "analysis.checks": set(),
    "analysis.engine": {"events", "brokers.kafka"},
    "analysis.tables": {"events", "faults", "analysis.engine", "analysis.checks"},
    "analysis.verdict": {"events", "faults"},
    "report": {"events", "faults"},
    "past": {"events", "report"},
    # The order tables, checks, verdict, report: the modules of `analysis` itself.
    "analysis": {"events", "analysis.engine", "analysis.tables", "analysis.verdict", "report"},
}
# Of Kafka, the analysis needs to find a Java for Spark; it runs no broker.
OF_KAFKA = {"insync.brokers.kafka.java"}
ANALYSIS = ("analysis", "report")
OF_SPARK = ("analysis.engine", "analysis.tables", "analysis.checks")
# Of the faults, scenarios, analysis and report know the kinds by the registry, never one by name.
OF_FAULTS = {"insync.faults.registry", "insync.faults.kind", "insync.faults.spec"}
# A folder with more files is harder to find one's way in. ARCHITECTURE.md names the exceptions.
MOST_FILES = 20

# The lines of Python in each folder of `insync` and of the tests, and in their own modules, only
# fall. Who removes some lowers the figure; the commit that raises one says why.
MOST_LINES = {
    "": 1_919,
    "analysis": 7_399,
    "brokers": 5_100,
    "bugs": 338,
    "cli": 1_883,
    "engine": 902,
    "events": 1_298,
    "faults": 6_835,
    "fuzz": 1_535,
    "kafka_tests": 945,
    "matrix": 156,
    "overhead": 596,
    "past": 422,
    "report": 2_986,
    "run": 2_831,
    "scenario": 1_584,
    "soak": 563,
    "testing": 1_391,
    "verify": 939,
    "why": 4_435,
    "workload": 1_896,
}
MOST_TEST_LINES = {
    "": 1_482,
    "browser": 487,
    "containers": 710,
    "contract": 310,
    "data": 50,
    "engines": 177,
    "integration": 6_651,
    "model": 1_128,
    "programs": 1_080,
    "unit": 28_011,
}
SLACK = 100


@cache
def imported(file: Path) -> set[str]:
    """Return every module that a file imports, wherever in the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def package_of(module: str) -> str | None:
    """Return the listed package of one of our modules: the longest name that fits."""
    inside = module.removeprefix("insync.") + "."
    return max(
        (name for name in MAY_IMPORT if inside.startswith(name + ".")), key=len, default=None
    )


def module_of(file: Path) -> str:
    return ".".join(("insync", *file.relative_to(PACKAGE).with_suffix("").parts))


def sources(package: str) -> list[Path]:
    """Return the files of a listed package, without those of a listed package inside it."""
    files = PACKAGE.joinpath(*package.split(".")).rglob("*.py")
    return [file for file in files if package_of(module_of(file)) == package]


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_a_package_imports_only_what_it_may(package: str) -> None:
    assert sources(package)
    for file in sources(package):
        ours = {name for name in imported(file) if name.startswith("insync.")}
        others = {package_of(name) for name in ours} - {package, None} - MAY_IMPORT[package]
        assert not others, f"{file.relative_to(ROOT)} imports {sorted(map(str, others))}"


def test_modules_for_all_import_no_package() -> None:
    for file in PACKAGE.glob("*.py"):
        packages = {package_of(name) for name in imported(file)} - {None}
        assert not packages, f"{file.name} imports {sorted(map(str, packages))}"


def test_only_the_engine_the_tables_and_the_checks_import_spark() -> None:
    for file in PACKAGE.rglob("*.py"):
        if package_of(module_of(file)) not in OF_SPARK:
            spark = {name for name in imported(file) if name.split(".")[0] == "pyspark"}
            assert not spark, f"{file.relative_to(ROOT)} imports {sorted(spark)}"


def test_only_the_bridge_imports_py4j() -> None:
    for file in PACKAGE.rglob("*.py"):
        py4j = {name for name in imported(file) if name.split(".")[0] == "py4j"}
        assert not py4j, f"{file.relative_to(ROOT)} imports {sorted(py4j)}"
    assert any("py4j.java_gateway" in name for f in BRIDGE.glob("*.py") for name in imported(f))


def test_the_analysis_knows_no_broker() -> None:
    for folder in ANALYSIS:
        for file in (PACKAGE / folder).rglob("*.py"):
            names = imported(file)
            clients = {name for name in names if name.startswith("confluent_kafka")}
            brokers = {name for name in names if name.startswith("insync.brokers.")}
            unknown = {name for name in brokers if name.rsplit(".", 1)[0] not in OF_KAFKA}
            assert not clients | unknown, f"{file.relative_to(ROOT)}: {clients | unknown}"


@pytest.mark.parametrize("folder", ["scenario", *ANALYSIS])
def test_no_fault_kind_is_known_by_name_outside_of_faults(folder: str) -> None:
    for file in (PACKAGE / folder).rglob("*.py"):
        faults = {name for name in imported(file) if name.startswith("insync.faults.")}
        unknown = {name for name in faults if name.rsplit(".", 1)[0] not in OF_FAULTS}
        assert not unknown, f"{file.relative_to(ROOT)}: {unknown}"


def test_the_fault_kinds_load_no_broker_code_and_no_heavy_library() -> None:
    script = (
        "import sys, insync.faults.registry\n"
        "print(*(name for name in sys.modules if name.startswith('insync.brokers')"
        " or name.split('.')[0] in ('pyspark', 'confluent_kafka', 'docker', 'mfusepy', 'py4j')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_every_package_is_listed() -> None:
    for file in PACKAGE.rglob("*.py"):
        name = module_of(file)
        if name.count(".") > 1 and not name.startswith("insync.cli."):
            assert package_of(name) or name == "insync.brokers.__init__", name


@pytest.mark.parametrize("top", ["bridge/python", "pyharness", "tests"])
def test_a_folder_holds_few_enough_files(top: str) -> None:
    folders = {file.parent for file in (ROOT / top).rglob("*.py")}
    wide = {folder: len(list(folder.glob("*.py"))) for folder in folders}
    assert not {
        str(folder.relative_to(ROOT)): count for folder, count in wide.items() if count > MOST_FILES
    }


def lines_of(folder: Path, top: str) -> int:
    files = (folder / top).rglob("*.py") if top else folder.glob("*.py")
    return sum(file.read_text(encoding="utf-8").count("\n") for file in files)


LIMITS = {PACKAGE: MOST_LINES, ROOT / "tests": MOST_TEST_LINES}


def test_every_folder_has_a_limit_of_lines() -> None:
    for whole, most in LIMITS.items():
        folders = {folder.name for folder in whole.iterdir() if any(folder.rglob("*.py"))}
        assert {"", *folders} == most.keys()


@pytest.mark.parametrize("whole", LIMITS, ids=["product", "tests"])
def test_a_folder_has_as_few_lines_as_before(whole: Path) -> None:
    for top, most in LIMITS[whole].items():
        assert most - SLACK <= lines_of(whole, top) <= most, top


def test_no_two_classes_have_one_name() -> None:
    """`_Private` ones may: nobody imports them."""
    classes = (
        node.name
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in Counter(classes).items() if count > 1] == []


JAVA = ROOT / "plugin-java" / "agent" / "src"
JAVA_CLASS = re.compile(r"insync(?:\.[a-z]\w*)+\.[A-Z]\w*")


def java_classes() -> dict[str, set[str]]:
    """Return which of the agent's classes each of them names; nested ones are their outer's."""
    files = [*JAVA.glob("main/java/**/*.java"), *JAVA.glob("v*/java/**/*.java")]
    texts = {".".join(file.relative_to(JAVA).with_suffix("").parts[2:]): file for file in files}
    comment = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
    named = {}
    for name, file in texts.items():
        code = comment.sub("", file.read_text())
        full = set(re.findall(JAVA_CLASS, code))
        imported = {each.rpartition(".")[2] for each in full}
        words = set(re.findall(r"\b[A-Z]\w*", re.sub(JAVA_CLASS, "", code))) - imported
        near = {f"{name.rpartition('.')[0]}.{word}" for word in words}
        named[name] = ((full | near) & texts.keys()) - {name}
    return named


def reached(start: str, named: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        new = named[left.pop()] - found
        found |= new
        left += new
    return found


def circles(named: dict[str, set[str]]) -> set[str]:
    return {name for name in named if name in reached(name, named)}


def test_no_class_of_the_agent_names_itself_in_a_circle() -> None:
    named = java_classes()
    assert len(named) > 50
    assert not circles(named)


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == {"b", "c"}
