"""What a release checks before it is made, and what it writes besides the built files."""

import hashlib
import subprocess
import zipfile
from pathlib import Path

import pytest

from insync_release import checksums, notice, sbom
from insync_release.build import differences
from insync_release.errors import ReleaseError
from insync_release.source import Source

ROOT = Path(__file__).parents[3]


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose commit may be released as 1.2.3."""
    package = tmp_path / "pyharness" / "insync"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3\n\n## 1.2.2\n")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--message", "x")


def test_a_clean_commit_of_a_new_version_may_be_released(checkout: Path) -> None:
    source = Source.head(checkout)
    assert (source.version, source.tag, source.problems()) == ("1.2.3", "v1.2.3", [])
    source.make_tag()
    (problem,) = Source.head(checkout).problems()
    assert problem == "tag v1.2.3: it exists, expected a version that is not released"


def test_each_reason_against_a_release_is_one_line(checkout: Path) -> None:
    (checkout / "pyharness" / "insync" / "__init__.py").write_text('__version__ = "1.3.0.dev0"\n')
    commit(checkout)
    (checkout / "left.txt").write_text("x")
    assert Source.head(checkout).problems() == [
        "pyharness/insync/__init__.py: version 1.3.0.dev0, expected X.Y.Z or X.Y.ZrcN",
        "CHANGELOG.md: newest section 1.2.3, expected 1.3.0.dev0",
        f"{checkout}: 1 files differ from HEAD, expected none",
    ]


def test_only_what_is_committed_is_built(checkout: Path, tmp_path: Path) -> None:
    (checkout / "left.txt").write_text("x")
    (checkout / "CHANGELOG.md").write_text("changed")
    exported = tmp_path / "exported"
    Source.head(checkout).export(exported)
    assert not (exported / "left.txt").exists()
    assert (exported / "CHANGELOG.md").read_text().startswith("# Changelog")


def archive(file: Path, members: dict[str, str], year: int = 1980) -> Path:
    with zipfile.ZipFile(file, "w") as opened:
        for name, text in members.items():
            opened.writestr(zipfile.ZipInfo(name, (year, 2, 1, 0, 0, 0)), text)
    return file


@pytest.mark.parametrize(
    ("other", "year", "shown"),
    [
        ({"a": "1", "b": "2"}, 1980, []),
        ({"a": "1", "b": "3"}, 1980, ["x.jar: b"]),
        ({"a": "1", "b": "2"}, 1990, ["x.jar: a, b"]),
        ({"b": "2", "a": "1"}, 1980, ["x.jar: the order of its members"]),
    ],
    ids=["equal", "content", "time", "order"],
)
def test_a_difference_of_builds_names_the_members(
    tmp_path: Path, other: dict[str, str], year: int, shown: list[str]
) -> None:
    first = archive(tmp_path / "one", {"a": "1", "b": "2"})
    second = archive(tmp_path / "other", other, year)
    assert differences({"x.jar": first}, {"x.jar": second}) == shown
    alone = ["x.jar is in one of them only", "y.jar is in one of them only"]
    assert differences({"x.jar": first}, {"y.jar": first}) == alone


def test_checksums_are_those_that_sha512sum_reads(tmp_path: Path) -> None:
    file = tmp_path / "a.jar"
    file.write_bytes(b"abc")
    checksums.write_all([file])
    assert checksums.sha512(file) == hashlib.sha512(b"abc").hexdigest()
    done = subprocess.run(
        ["sha512sum", "--check", "a.jar.sha512"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "a.jar: OK\n")
    file.write_bytes(b"abd")
    done = subprocess.run(["sha512sum", "--check", "a.jar.sha512"], cwd=tmp_path, check=False)
    assert done.returncode != 0


def test_the_notice_of_this_project_is_read() -> None:
    found = notice.noticed((ROOT / "NOTICE").read_text())
    assert {name for name, _ in found} == {"byte-buddy", "py4j", "gson"}
    assert {entry.licence for entry in found.values()} == {"Apache-2.0", "BSD-3-Clause"}


def test_a_library_that_the_notice_lacks_ends_the_release() -> None:
    text = (ROOT / "NOTICE").read_text()
    library = {"group": "org.ow2.asm", "name": "asm", "version": "9.9"}
    with pytest.raises(ReleaseError, match=r"^NOTICE: asm 9\.9: not found, expected an entry$"):
        sbom.described([library], text)


def test_the_document_of_the_wheel_says_which_wheel_it_is(tmp_path: Path) -> None:
    wheel = tmp_path / "insync.whl"
    wheel.write_bytes(b"wheel")
    written = {"metadata": {"component": {"name": "insync", "type": "application"}, "tools": 1}}
    component = {
        "name": "insync", "type": "application", "version": "1.2.3",
        "purl": "pkg:generic/insync@1.2.3",
        "hashes": [{"alg": "SHA-512", "content": hashlib.sha512(b"wheel").hexdigest()}],
    }  # fmt: skip
    assert sbom.with_wheel({**written, "components": []}, "1.2.3", wheel) == {
        "metadata": {"component": component, "tools": 1}, "components": [],
    }  # fmt: skip
