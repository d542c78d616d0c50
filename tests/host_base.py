"""A base image of this host's Java, what that needs, and busybox: no registry is asked."""

import io
import os
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path
from shutil import which
from typing import IO

import docker
from docker.errors import ImageNotFound

from insync.brokers.kafka.java import find_java

REPOSITORY = "insync-base"
#: Loaded by name: for names of hosts and users, and by native libraries inside jars.
BY_NAME = (
    *("libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"),
    *("libdl.so.2", "libpthread.so.0", "librt.so.1"),
)
TEXTS = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "etc/group": "root:x:0:\n",
    "etc/nsswitch.conf": "hosts: files dns\n",
}


def host_base(client: docker.DockerClient) -> str:
    """Return the name of the base; make it if it is missing."""
    java = find_java()
    name = f"{REPOSITORY}:jre{java.version}"
    try:
        client.images.get(name)
    except ImageNotFound:
        with tempfile.TemporaryFile() as root:
            _pack(java.home, root)
            root.seek(0)
            chunks = iter(lambda: root.read(1 << 20), b"")
            client.api.import_image_from_stream(
                chunks, repository=REPOSITORY, tag=f"jre{java.version}",
                changes=["ENV PATH=/opt/jre/bin:/bin", "ENV JAVA_HOME=/opt/jre"],
            )  # fmt: skip
    return name


def _pack(home: Path, root: IO[bytes]) -> None:
    """Write the root folder; modification times are kept, because the JVM compares them."""
    busybox = Path(str(which("busybox")))
    found = {Path("bin/busybox"): busybox, Path("opt/jre/bin/java"): home / "bin" / "java"}
    for tree in ("conf", "lib"):
        for folder, _, names in os.walk(home / tree, followlinks=True):
            files = (Path(folder) / name for name in names if name != "src.zip")
            found |= {"opt/jre" / each.relative_to(home): each for each in files if each.is_file()}
    programs = [file for at, file in found.items() if at.suffix == ".so" or "bin" in at.parts]
    said = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    listed = {Path(os.path.normpath(each)) for each in re.findall(r"(/\S+) \(0x", said)}
    listed |= {each.with_name(name) for each in list(listed) for name in BY_NAME}
    own = {each for each in listed if not each.is_relative_to(home) and each.is_file()}
    found |= {each.relative_to("/"): each for each in own}
    with tarfile.open(fileobj=root, mode="w", dereference=True) as tar:
        temporary = tarfile.TarInfo("tmp")
        temporary.type, temporary.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(temporary)
        for name, text in TEXTS.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
        for at, file in sorted(found.items()):
            tar.add(file, arcname=str(at), filter=_as_root)
        applets = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True)
        for applet in sorted({*applets.stdout.split()} - {"busybox"}):
            link = tarfile.TarInfo(f"bin/{applet}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(link)


def _as_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mode |= 0o444 | (0o111 if entry.mode & 0o100 else 0)
    return entry
