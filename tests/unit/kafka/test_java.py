"""Which Java is used, and the error when none is suitable."""

from pathlib import Path

import pytest

from insync.brokers.kafka.java import find_java
from insync.errors import InputError

SETTINGS = """Picked up JAVA_TOOL_OPTIONS: -Dx=y
Property settings:
    java.home = {home}
    java.runtime.version = {full}
    java.specification.version = {specification}
    java.vm.name = OpenJDK 64-Bit Server VM

openjdk version "{full}" 2025-04-15
"""


def installed(home: Path, specification: str = "17", full: str = "17.0.15+6") -> Path:
    output = SETTINGS.format(home=home, specification=specification, full=full)
    script(home, f"cat >&2 <<'EOF'\n{output}EOF\n")
    return home


def script(home: Path, body: str) -> None:
    binary = home / "bin" / "java"
    binary.parent.mkdir(parents=True)
    binary.write_text(f"#!/bin/sh\n{body}", encoding="utf-8")
    binary.chmod(0o755)


def test_java_home_precedes_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(installed(tmp_path / "home", "21", "21.0.4+7")))
    monkeypatch.setenv("PATH", f"{installed(tmp_path / 'path')}/bin:/usr/bin:/bin")
    java = find_java()
    assert (java.home, java.version) == (tmp_path / "home", 21)
    assert java.description == "OpenJDK 64-Bit Server VM 21.0.4+7"
    assert java.binary == tmp_path / "home" / "bin" / "java"


def test_no_java_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"^java: none in JAVA_HOME or on the PATH, expected .*17"):
        find_java()


@pytest.mark.parametrize(
    ("home", "said"),
    [
        ("gone", "JAVA_HOME is .*/gone, expected a folder with bin/java"),
        ("11", "is Java 11, expected 17 or newer"),
        ("1.8", "is Java 8, expected 17 or newer"),
        ("broken", "answered 'error while loading shared libraries'"),
        ("silent", "^java: .* answered 'nothing', expected its version$"),
    ],
)
def test_a_java_home_without_a_usable_java_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str, said: str
) -> None:
    for version in ("11", "1.8"):
        installed(tmp_path / version, version, "old")
    script(tmp_path / "broken", "echo 'error while loading shared libraries' >&2; exit 127\n")
    script(tmp_path / "silent", "exit 0\n")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / home))
    with pytest.raises(InputError, match=said):
        find_java()
