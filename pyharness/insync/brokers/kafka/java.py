"""Find the Java that runs Kafka: JAVA_HOME first, then the PATH; 17 or newer."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from insync.errors import InputError

OLDEST = 17
_ANSWER_WITHIN_S = 30.0
_SETTING = re.compile(r"^\s*(java\.[a-z.]+) = (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Java:
    """One installed Java: its home folder, feature version (17, 21, ...) and full name."""

    home: Path
    version: int
    description: str

    @property
    def binary(self) -> Path:
        """The launcher of this Java itself, not a shim on the PATH."""
        return self.home / "bin" / "java"


def find_java() -> Java:
    binary, origin = _located()
    java = parse_settings(_ask(binary, origin), f"{binary} ({origin})")
    if java.version < OLDEST:
        raise InputError(
            f"java: {binary} ({origin}) is Java {java.version}, expected {OLDEST} or newer"
        )
    return java


def parse_settings(text: str, where: str) -> Java:
    """Parse the output of `java -XshowSettings:properties -version`; raises InputError."""
    found = dict(_SETTING.findall(text))
    try:
        specification = found["java.specification.version"].strip()
        # Java 8 and older have versions such as 1.8.
        version = int(specification.removeprefix("1."))
        home = Path(found["java.home"].strip())
        name = f"{found['java.vm.name'].strip()} {found['java.runtime.version'].strip()}"
    except (KeyError, ValueError):
        message = next((line.strip() for line in text.splitlines() if line.strip()), "nothing")
        raise InputError(f"java: {where} answered '{message}', expected its version") from None
    return Java(home, version, name)


def _located() -> tuple[Path, str]:
    """Return the launcher of the Java to use, and where it was found; raises InputError."""
    home = os.environ.get("JAVA_HOME")
    if home:
        binary = Path(home) / "bin" / "java"
        if not binary.is_file():
            raise InputError(f"java: JAVA_HOME is {home}, expected a folder with bin/java")
        return binary, "JAVA_HOME"
    found = shutil.which("java")
    if found is None:
        raise InputError(
            f"java: none in JAVA_HOME or on the PATH, expected a JDK {OLDEST} or newer"
        )
    return Path(found), "PATH"


@cache  # a matrix asks for each of its runs, and each answer takes a tenth of a second
def _ask(binary: Path, origin: str) -> str:
    """Return the settings that Java prints, which it does on standard error."""
    try:
        answer = subprocess.run(
            [binary, "-XshowSettings:properties", "-version"], capture_output=True, text=True,
            errors="replace", timeout=_ANSWER_WITHIN_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"java: {binary} ({origin}) does not run: {error}") from error
    return answer.stderr + answer.stdout
