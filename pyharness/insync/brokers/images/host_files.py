"""List the files of this host that a base image needs: a Java and the libraries it uses."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from insync.brokers.kafka.java import Java
from insync.errors import InputError

JRE = Path("/opt/jre")
BUSYBOX = Path("/bin/busybox")
# Files that only desktop programs, compilers and debuggers need; they depend on much of X11.
_UNUSED = re.compile(
    r"src\.zip|ct\.sym|classes_nocoops\.jsa|psfont.*"
    r"|lib(atk-wrapper|awt.*|fontmanager|freetype|harfbuzz|javajpeg|jawt|jsound|lcms|mlib_image"
    r"|saproc|splashscreen)\.so"
)
# Libraries that are loaded by name: glibc loads the first line to look up hosts and users.
# Native libraries inside jars (compression) still link to the second, now part of libc.
_BY_NAME = (
    *("libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"),
    *("libdl.so.2", "libpthread.so.0", "librt.so.1"),
)
_LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x[0-9a-f]+\)$", re.MULTILINE)


def collect(java: Java) -> dict[Path, Path]:
    """Return all files as a mapping from the path in the image to the path on this host.

    Raises InputError when a tool that is needed for this is missing.
    """
    busybox = _tool("busybox", "busybox-static")
    found = {JRE / "bin" / "java": java.binary, **_trees(java.home), BUSYBOX: busybox}
    binaries = [file for at, file in found.items() if at.suffix == ".so" or "bin" in at.parts]
    return found | _libraries(binaries, java.home)


def libraries(output: str, home: Path) -> set[Path]:
    """Return the libraries in the output of `ldd`, without those of the Java at `home` itself."""
    found = {Path(os.path.normpath(path)) for path in _LIBRARY.findall(output)}
    return {path for path in found if not path.is_relative_to(home)}


def applets() -> list[str]:
    """Return the names of the applets in this host's busybox."""
    busybox = _tool("busybox", "busybox-static")
    output = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True)
    return sorted(set(output.stdout.split()) - {BUSYBOX.name})


def fingerprint(files: Mapping[Path, Path], *texts: str) -> str:
    """Return a digest of the files (path in the image, size, time) and of `texts`."""
    digest = hashlib.sha256("\0".join(texts).encode())
    for at, file in sorted(files.items()):
        facts = file.stat()
        digest.update(f"{at}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
    return digest.hexdigest()[:16]


def _trees(home: Path) -> dict[Path, Path]:
    """Return the files of the Java that a server needs; links are followed."""
    found = {}
    for tree in ("conf", "lib"):
        for folder, _, names in os.walk(home / tree, followlinks=True):
            for file in (Path(folder) / name for name in names if not _UNUSED.fullmatch(name)):
                if file.is_file():
                    found[JRE / file.relative_to(home)] = file
    return found


def _libraries(binaries: Iterable[Path], home: Path) -> dict[Path, Path]:
    # ldd fails if one of them is static, such as busybox, but still lists the others.
    command = [_tool("ldd", "libc-bin"), *binaries]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = libraries(output, home)
    beside = {file.parent for file in found}
    found |= {folder / name for folder in beside for name in _BY_NAME}
    return {file: file for file in found if file.is_file()}


def _tool(name: str, package: str) -> Path:
    path = shutil.which(name)
    if path is None:
        raise InputError(
            f"{name}: not on the PATH, expected it for the base image "
            f"(Debian and Ubuntu: apt-get install {package}), or use --base"
        )
    return Path(path)
