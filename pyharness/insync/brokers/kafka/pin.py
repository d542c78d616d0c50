"""Pin the jars of a Kafka version: resolve them with Maven, write dists/VERSION.toml.

It needs Maven. `python -m` this module does so for VERSION [FOLDER]; `releases` does the same into
the user's cache.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from insync.artifacts import sha256_of
from insync.brokers.kafka.versions import DISTS, ELR_SINCE, KRAFT_SINCE, Jar, numbers
from insync.errors import InputError

# The log4j binding that every version gets.
LOG4J = "2.25.5"
_DONE_WITHIN_S = 600.0
VERSION = re.compile(r"\d+\.\d+\.\d+")
# The first versions for Scala 2.13, and without log4j 1.
_SCALA_213, _WITHOUT_LOG4J_1 = (2, 4), (4, 0)
# The first versions with a client of ZooKeeper 3.5, and with 3.5.8.
_ZOOKEEPER_35, _ZOOKEEPER_358 = (2, 4), (2, 5, 1)
_COPY = (
    "dependency:copy-dependencies", "-DincludeScope=runtime", "-Dmdep.useRepositoryLayout=true",
)  # fmt: skip
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# One line of Maven's nests the whole chain, the cause last.
_CAUSE = re.compile(r"^\[ERROR\] .*(Could not .*?)(?: -> \[Help \d+\])?$")


def pin(version: str, folder: Path, tell: Callable[[str], None] = print) -> Path:
    """Write `folder`/VERSION.toml and return it.

    Raises InputError if Maven is missing or cannot resolve the version.
    """
    if not VERSION.fullmatch(version):
        raise InputError(f"pin: version '{version}', expected three numbers such as 4.3.1")
    if not folder.is_dir():
        raise InputError(f"pin: {folder} is not a folder")
    began = time.monotonic()
    tell(f"kafka {version}: resolving with Maven, up to a minute if the jars are not here yet")
    with tempfile.TemporaryDirectory(prefix="insync-pin-") as scratch:
        jars = resolve(roots(version), Path(scratch), instead=instead_of_own(version))
    written = folder / f"{version}.toml"
    made = written.with_suffix(".made")
    made.write_text(render(version, jars), encoding="utf-8")
    made.replace(written)
    tell(f"kafka {version}: {len(jars)} jars pinned in {written.name}, "
         f"{time.monotonic() - began:.0f} s")  # fmt: skip
    return written


def render(version: str, jars: Sequence[Jar]) -> str:
    number = numbers(version)
    lines = [
        f"# The jars of a Kafka {version} node, by `python -m insync.brokers.kafka.pin {version}`.",
        f'version = "{version}"',
    ]
    lines += ["zookeeper = true"] if number < KRAFT_SINCE else []
    lines += ["elr = true"] if number >= ELR_SINCE else []
    return "\n".join([*lines, *rows("jars", jars), ""])


def rows(key: str, jars: Sequence[Jar]) -> list[str]:
    entries = sorted(f'  {{ id = "{jar.id}", sha256 = "{jar.sha256}" }},' for jar in jars)
    return [f"{key} = [", *entries, "]"]


def roots(version: str) -> list[str]:
    """Return the `group:name:version` whose run-time dependencies make a node of `version`."""
    number = numbers(version)
    scala = "2.12" if number < _SCALA_213 else "2.13"
    bindings = ["log4j-slf4j-impl"]
    # Up to 3.9, Kafka's Log4jController needs classes of log4j 1.
    bindings += ["log4j-1.2-api"] if number < _WITHOUT_LOG4J_1 else []
    logging = [f"org.apache.logging.log4j:{name}:{LOG4J}" for name in bindings]
    return [f"org.apache.kafka:kafka_{scala}:{version}", *logging]


def instead_of_own(version: str) -> list[str]:
    """Return the `group:name:version` that a node of `version` gets instead of Kafka's own choice.

    On Java 17 the ZooKeeper clients from 3.4.11 to 3.5.7 find no address (ZOOKEEPER-3779).
    """
    number = numbers(version)
    if number >= _ZOOKEEPER_358:
        return []
    return [f"org.apache.zookeeper:zookeeper:{'3.4.10' if number < _ZOOKEEPER_35 else '3.5.8'}"]


def resolve(wanted: Sequence[str], scratch: Path, instead: Sequence[str] = ()) -> list[Jar]:
    """Return all jars that Maven puts on a class path of `group:name:version[:classifier]`.

    Those of `instead` come in their version wherever anything depends on them. Raises InputError if
    Maven is missing or cannot resolve them.
    """
    (scratch / "pom.xml").write_text(_pom(wanted, instead), encoding="utf-8")
    libs = scratch / "libs"
    _maven([*_COPY, f"-DoutputDirectory={libs}"], scratch)
    return [_jar(file, libs) for file in sorted(libs.rglob("*.jar"))]


def _pom(wanted: Sequence[str], instead: Sequence[str]) -> str:
    dependencies, managed = (
        "".join(f"<dependency>{_coordinates(each)}</dependency>" for each in of)
        for of in (wanted, instead)
    )
    return f"""<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>insync</groupId><artifactId>node</artifactId><version>1</version>
  <dependencyManagement><dependencies>{managed}</dependencies></dependencyManagement>
  <dependencies>{dependencies}</dependencies>
</project>
"""


def _coordinates(wanted: str) -> str:
    names = ("groupId", "artifactId", "version", "classifier")
    words = zip(names, wanted.split(":"), strict=False)
    return "".join(f"<{name}>{word}</{name}>" for name, word in words)


def _maven(arguments: Sequence[str], folder: Path) -> None:
    program = shutil.which("mvn")
    if program is None:
        raise InputError("pin: no mvn, expected Maven on the path (Debian: apt-get install maven)")
    try:
        done = subprocess.run(
            [program, "-B", "-q", "-U", *arguments], cwd=folder, timeout=_DONE_WITHIN_S,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InputError(f"pin: Maven is not done in {_DONE_WITHIN_S:.0f} s") from None
    if done.returncode != 0:
        raise InputError(f"pin: Maven cannot resolve it: {reason(done.stdout)}")


def reason(output: str) -> str:
    """Return what Maven's output names as the cause, or its last line."""
    lines = [_COLOUR.sub("", line).strip() for line in output.splitlines()]
    causes = [found[1] for line in lines if (found := _CAUSE.search(line))]
    return next(iter(causes or [line for line in reversed(lines) if line]), "no output")


def _jar(file: Path, libs: Path) -> Jar:
    """Return the artifact of `file`, whose path is that of a Maven repository."""
    *group, name, revision, _ = file.relative_to(libs).parts
    classifier = file.stem.removeprefix(f"{name}-{revision}").removeprefix("-")
    words = (".".join(group), name, revision, classifier)
    return Jar(":".join(filter(None, words)), sha256_of(file))


if __name__ == "__main__":
    asked, into = (*sys.argv[1:], str(DISTS))[:2]
    try:
        pin(asked, Path(into))
    except InputError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
