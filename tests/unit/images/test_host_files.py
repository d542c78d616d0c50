"""Which of this host's files a base image takes."""

import os
from pathlib import Path

import pytest

from insync.brokers.images import host_files
from insync.brokers.kafka.java import Java
from insync.errors import InputError

SAID = """\
/usr/lib/jvm/17/bin/java:
	linux-vdso.so.1 (0x00007ffd0d3f4000)
	libz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f31b36fe000)
	libjli.so => /usr/lib/jvm/17/bin/../lib/libjli.so (0x00007f31b36ee000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f31b350c000)
	/lib64/ld-linux-x86-64.so.2 (0x00007f31b3735000)
/usr/lib/jvm/17/lib/libnet.so:
	libjvm.so => not found
/usr/bin/busybox:
	not a dynamic executable
"""


def test_the_libraries_exclude_those_inside_java_itself() -> None:
    assert host_files.libraries(SAID, Path("/usr/lib/jvm/17")) == {
        Path("/lib/x86_64-linux-gnu/libz.so.1"),
        Path("/lib/x86_64-linux-gnu/libc.so.6"),
        Path("/lib64/ld-linux-x86-64.so.2"),
    }


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a PATH with only a busybox and an ldd that print what the test needs."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name, body in (("busybox", "echo busybox; echo sh; echo ls"), ("ldd", "exit 1")):
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def java(home: Path, *files: str) -> Java:
    for name in files:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(name)
    return Java(home, 17, "x")


def test_only_the_parts_of_a_jdk_that_a_server_needs_are_taken(tmp_path: Path, tools: Path) -> None:
    home = tmp_path / "jdk"
    its = java(
        home,
        "bin/java", "bin/javac", "jmods/java.base.jmod", "lib/modules", "lib/ct.sym",
        "lib/libnet.so", "lib/libawt_xawt.so", "lib/server/libjvm.so", "conf/net.properties",
    )  # fmt: skip
    (home / "lib" / "src.zip").symlink_to("nowhere")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "cacerts").write_text("x")
    (home / "lib" / "security").symlink_to(tmp_path / "etc")
    taken = host_files.collect(its)
    assert {str(at) for at in taken if at.is_relative_to(host_files.JRE)} >= {
        "/opt/jre/bin/java", "/opt/jre/lib/modules", "/opt/jre/lib/libnet.so",
        "/opt/jre/lib/server/libjvm.so", "/opt/jre/conf/net.properties",
        "/opt/jre/lib/security/cacerts",
    }  # fmt: skip
    names = {at.name for at in taken}
    assert not names & {"javac", "java.base.jmod", "ct.sym", "libawt_xawt.so", "src.zip"}
    assert taken[host_files.BUSYBOX] == tools / "busybox"
    assert host_files.applets() == ["ls", "sh"]


@pytest.mark.parametrize(("tool", "package"), [("busybox", "busybox-static"), ("ldd", "libc-bin")])
def test_the_error_for_a_missing_tool_names_its_package(
    tool: str, package: str, tmp_path: Path, tools: Path
) -> None:
    (tools / tool).unlink()
    with pytest.raises(InputError) as error:
        host_files.collect(java(tmp_path / "jdk", "bin/java"))
    assert str(error.value) == (
        f"{tool}: not on the PATH, expected it for the base image "
        f"(Debian and Ubuntu: apt-get install {package}), or use --base"
    )


def test_the_fingerprint_covers_paths_sizes_times_and_contents(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    before = host_files.fingerprint({Path("/a"): file})
    assert host_files.fingerprint({Path("/a"): file}) == before
    assert host_files.fingerprint({Path("/b"): file}) != before
    assert host_files.fingerprint({Path("/a"): file}, "ENV PATH=/bin") != before
    os.utime(file, ns=(0, 0))
    assert host_files.fingerprint({Path("/a"): file}) != before
