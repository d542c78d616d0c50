"""Find and identify what `make built` puts beside the Python code: jars, stall shim, versions."""

import hashlib
from pathlib import Path
from typing import Final

from insync.errors import InputError

BUILT: Final = Path(__file__).with_name("_built")
AGENT_JAR: Final = BUILT / "insync-agent.jar"
LAB_JAR: Final = BUILT / "insync-lab.jar"
"""What the harness adds to the agent: the bridge, the events file, pause points."""
LOGS_JAR: Final = BUILT / "insync-logs.jar"
CLIENTS_JAR: Final = BUILT / "insync-clients.jar"
KAFKA_TESTS_JAR: Final = BUILT / "insync-kafka-tests.jar"
SHIM: Final = BUILT / "libinsync_stall.so"
VERSIONS_TABLE: Final = BUILT / "broker-versions.properties"


def built(file: Path) -> Path:
    """Return `file`; raises InputError if it is not built."""
    if not file.is_file():
        raise InputError(f"{file.name}: not built, expected in {file.parent}: run `make setup`")
    return file


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file's content in hexadecimal digits; raises OSError."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
