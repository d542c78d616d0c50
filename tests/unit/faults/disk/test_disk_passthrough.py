"""Where our file system can be mounted under a log folder, for which users, and what is mounted."""

from pathlib import Path

import pytest

from insync.faults.support.disk import mounts, passthrough


@pytest.fixture
def able(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Fake a machine on which a user other than root can mount it; return its folder."""
    for name in ("fuse", "fuse.conf"):
        (tmp_path / name).touch()
    monkeypatch.setattr(passthrough, "FUSE", tmp_path / "fuse")
    monkeypatch.setattr(passthrough, "FUSE_SETTINGS", tmp_path / "fuse.conf")
    monkeypatch.setattr(passthrough.shutil, "which", lambda name: name)
    monkeypatch.setattr(passthrough, "find_library", lambda name: name)
    monkeypatch.setattr(passthrough.os, "geteuid", lambda: 1000)
    return tmp_path


def test_a_missing_requirement_is_named(able: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert passthrough.unavailable() is None
    monkeypatch.setattr(passthrough, "find_library", lambda _: None)
    assert "apt-get install fuse3" in str(passthrough.unavailable())
    (able / "fuse").unlink()
    assert passthrough.unavailable() == (
        f"no file system can be put under a log folder: no {able / 'fuse'}"
    )


def test_other_users_see_the_mount_if_root_or_its_settings_allow_it(
    able: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "expected user_allow_other" in str(passthrough.unavailable(for_others=True))
    (able / "fuse.conf").write_text("# user_allow_other\nmount_max = 10\n")
    assert passthrough.unavailable(for_others=True) is not None
    (able / "fuse.conf").write_text("user_allow_other\n")
    assert passthrough.unavailable(for_others=True) is None
    (able / "fuse.conf").unlink()
    assert passthrough.unavailable(for_others=True) is not None
    monkeypatch.setattr(passthrough.os, "geteuid", lambda: 0)
    assert passthrough.unavailable(for_others=True) is None


def test_a_mount_table_is_read_with_its_escapes() -> None:
    table = "/dev/loop0 /tmp/a\\040b ext4 rw 0 0\ninsync-1-2 /x fuse.insync rw 0 0\n"
    assert mounts.parse(table) == [
        mounts.Mount("/dev/loop0", Path("/tmp/a b"), "ext4"),  # noqa: S108 - a name, no file
        mounts.Mount("insync-1-2", Path("/x"), "fuse.insync"),
    ]
