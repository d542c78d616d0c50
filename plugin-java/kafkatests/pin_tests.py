"""Pin the jars of a Kafka version's tests: resolve them with Maven, write VERSION.toml.

Only developers need this, and Maven. The broker's own jars are not among them: they are those of
the build that is tested.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync import kafka_tests
from insync.brokers.kafka import pin, releases
from insync.brokers.kafka.versions import Jar, numbers
from insync.errors import InputError

PINS: Final = Path(kafka_tests.__file__).parent / "pins"
_TESTED: Final = (
    "kafka-clients", "kafka-server-common", "kafka-server", "kafka-storage", "kafka-storage-api",
    "kafka-metadata", "kafka-raft", "kafka-group-coordinator",
)  # fmt: skip
_COORDINATORS: Final = (
    "kafka-coordinator-common", "kafka-transaction-coordinator", "kafka-share-coordinator",
)  # fmt: skip
_MOCKITO: Final = ("org.mockito:mockito-core:5.20.0", "org.mockito:mockito-junit-jupiter:5.20.0")
# The keys and certificates of the SSL tests are made with it; Kafka's jars do not name it.
_KEYS: Final = ("org.bouncycastle:bcpkix-jdk18on:1.78.1",)
# Kafka's test framework has a Kerberos server, which SASL tests load even if they do not start it.
_KERBEROS: Final = tuple(
    f"org.apache.directory.server:apacheds-{name}:2.0.0-M24"
    for name in ("core-api", "interceptor-kerberos", "protocol-shared", "protocol-kerberos",
                 "ldif-partition", "jdbm-partition")
)  # fmt: skip
# Of these, older copies of what _KEYS has.
_WITHOUT: Final = ("org.bouncycastle:bcprov-jdk15on",)


@dataclass(frozen=True)
class _Row:
    """What the tests of Kafka from version `since` on need.

    `tested` are the modules that publish a jar of tests, `plain` those of Kafka's test framework,
    which have no classifier. JUnit is the one that this Kafka was built with.
    """

    since: tuple[int, ...]
    scala: str
    tested: tuple[str, ...]
    plain: tuple[str, ...]
    libraries: tuple[str, ...]


_FRAMEWORK: Final = ("kafka-test-common-runtime", "kafka-test-common-internal-api")
_JUNIT_5_10: Final = (
    "org.junit.jupiter:junit-jupiter:5.10.2", "org.junit.platform:junit-platform-launcher:1.10.2",
)  # fmt: skip
_JUNIT_5_13: Final = (
    "org.junit.jupiter:junit-jupiter:5.13.1", "org.junit.platform:junit-platform-launcher:1.13.1",
)  # fmt: skip
_ROWS: Final = (
    _Row((4, 2), "2.13", (*_TESTED, *_COORDINATORS), (*_FRAMEWORK, "kafka-test-common-util"),
         (*_JUNIT_5_13, *_MOCKITO, *_KEYS, *_KERBEROS)),
    _Row((4, 1), "2.13", (*_TESTED, *_COORDINATORS), _FRAMEWORK,
         (*_JUNIT_5_13, *_MOCKITO, *_KEYS, *_KERBEROS)),
    _Row((4, 0), "2.13", (*_TESTED, *_COORDINATORS), _FRAMEWORK,
         (*_JUNIT_5_10, *_MOCKITO, *_KEYS, *_KERBEROS)),
    _Row((3, 6), "2.13", _TESTED, (),
         (*_JUNIT_5_10, *_MOCKITO, *_KEYS, *_KERBEROS, "commons-io:commons-io:2.14.0")),
    # JUnit 4, run by JUnit 5's engine for it; an EasyMock that can mock classes on today's Java.
    _Row((1, 1), "2.12", ("kafka-clients",), (),
         ("org.junit.vintage:junit-vintage-engine:5.13.1",
          "org.junit.platform:junit-platform-launcher:1.13.1", "org.easymock:easymock:5.6.0",
          "org.scalatest:scalatest_2.12:3.0.4")),
)  # fmt: skip


def roots(version: str) -> list[str]:
    """Return the artifacts whose dependencies make the class path of a version's tests."""
    row = next((row for row in _ROWS if numbers(version) >= row.since), None)
    if row is None:
        oldest = ".".join(map(str, _ROWS[-1].since))
        raise InputError(f"pin: tests of Kafka {version}, expected {oldest} or later")
    core = f"kafka_{row.scala}"
    return [
        *(f"org.apache.kafka:{name}:{version}" for name in (core, *row.plain)),
        *(f"org.apache.kafka:{name}:{version}:test" for name in (core, *row.tested)),
        *row.libraries,
    ]


def pin_tests(version: str, folder: Path = PINS) -> Path:
    """Write `folder`/VERSION.toml and return it; raises InputError if it cannot be resolved."""
    broker = {tuple(jar.parts[:2]) for jar in releases.find(version).jars}
    with tempfile.TemporaryDirectory(prefix="insync-pin-") as scratch:
        jars = pin.resolve(roots(version), Path(scratch), _WITHOUT)
    # Of a module of the broker, the broker's own jar is used.
    added = [jar for jar in jars if len(jar.parts) > 3 or tuple(jar.parts[:2]) not in broker]
    written = folder / f"{version}.toml"
    made = written.with_suffix(".made")
    made.write_text(_render(version, added), encoding="utf-8")
    made.replace(written)
    return written


def _render(version: str, jars: Sequence[Jar]) -> str:
    command = f"python plugin-java/kafkatests/pin_tests.py {version}"
    head = f"# What Kafka {version}'s tests need beside the broker's jars, by `{command}`."
    return "\n".join([head, *pin.rows("jars", jars), ""])


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, pin, and exit with 2 and one line if that cannot be done."""
    parser = argparse.ArgumentParser(prog="pin_tests.py", description=__doc__)
    parser.add_argument("version", help="a Kafka version of brokers/kafka/dists, such as 4.3.1")
    given = parser.parse_args(arguments)
    try:
        print(pin_tests(given.version))
    except InputError as error:
        print(error, file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
