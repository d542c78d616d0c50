"""Writes SHA-512 files beside the files of a release, as `sha512sum --check` reads them."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

SUFFIX: Final = ".sha512"


def sha512(file: Path) -> str:
    """Return the SHA-512 of a file in hexadecimal digits."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha512").hexdigest()


def write_all(files: Iterable[Path]) -> None:
    """Write FILE.sha512 beside each file."""
    for file in files:
        line = f"{sha512(file)}  {file.name}\n"
        file.with_name(file.name + SUFFIX).write_text(line, encoding="ascii")
