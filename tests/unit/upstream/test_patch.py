"""The source patches of Kafka: their hunks, their page and the agent's configs agree; their build.

Nothing is applied or compiled here: `make upstream-patch` does both.
"""

import re
import zipfile
from pathlib import Path

import pytest

from insync import arms
from patch_kafka import build, parts, tree
from patch_kafka.parts import HERE, PATCHES, PatchError

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "understand" / "kip-patch.md").read_text()
AGENT = ROOT / "plugin-java" / "agent" / "src" / "main" / "java" / "insync" / "agent"
OURS = re.compile(r"(?<!reads\.)(?<!min\.)\binsync\b|\b(plugin|agent|woven|weave)\b")
"""Words of this project, not those of a config's name."""
DEFAULTS = {arms.FEATURE: "false", arms.PROCESS_TIME: "-1"}
MOST_LINES = {"kip-501": 400, "kafka-7104": 80, "self-fencing": 500}
"""How many lines a patch may add without its tests."""
FILES = [file for patch in PATCHES for file in sorted((HERE / patch / "hunks").iterdir())]


def hunk(patch: str, name: str) -> str:
    return (HERE / patch / "hunks" / f"{name}.diff").read_text()


def section(name: str) -> list[list[str]]:
    inside = PAGE.split(f"<!-- {name}: begin -->")[1].partition(f"<!-- {name}: end -->")[0]
    rows = [line.strip("|").split(" | ") for line in inside.strip().splitlines()[2:]]
    return [[cell.strip() for cell in row] for row in rows]


def names(patch: str) -> dict[str, str]:
    """Return the configs that a patch defines, by the names of their constants."""
    text = hunk(patch, "ReplicationConfigs.java")
    return dict(re.findall(r'String (\w+)_CONFIG = "([a-z.]+)";', text))


def size(patch: str) -> tuple[int, int, int]:
    """Return how many of Kafka's files a patch changes, and the lines it adds and removes.

    Tests do not count, nor do the lines of headers.
    """
    changes = [each for each in parts.hunks(patch) if parts.TEST_SOURCES not in each.path]
    lines = [line for each in changes for line in each.file.read_text().splitlines()[2:]]
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    ours = {path for each in PATCHES for path in parts.new_files(each)}
    own = sum(
        text.count("\n") - parts.HEADER.count("\n") for text in parts.new_files(patch).values()
    )
    return len({each.path for each in changes} - ours), added + own, removed


def test_the_page_lists_the_configs_with_their_defaults() -> None:
    listed = {row[0].strip("`"): row[1].strip("`") for row in section("configs")}
    texts = [hunk(patch, "ReplicationConfigs.java") for patch in ("kip-501", "self-fencing")]
    values = dict(re.findall(r"(\w+)_DEFAULT = (\S+);", "".join(texts)))
    defined = {**names("kip-501"), **names("self-fencing")}
    assert listed == {name: values[key].removesuffix("L") for key, name in defined.items()}
    assert listed == DEFAULTS


def test_the_page_says_which_configs_can_be_updated() -> None:
    dynamic = hunk("kip-501", "DynamicBrokerConfig.java")
    keys = re.findall(r"^\+ .*ReplicationConfigs\.(\w+)_CONFIG", dynamic, re.M)
    added = {name for key, name in names("kip-501").items() if key in keys}
    assert {row[0].strip("`") for row in section("configs") if row[2] == "yes"} == added


def test_the_configs_are_the_agents() -> None:
    files = ("isr/PendingReadsConfig.java", "stepdown/broker/StepDownConfigs.java")
    agent = "".join((AGENT / file).read_text() for file in files)
    for name in DEFAULTS:
        assert f'"{name}"' in agent


def test_the_page_says_how_large_each_patch_is() -> None:
    listed = [(row[0].strip("`"), *map(int, row[1:4])) for row in section("patches")]
    assert listed == [(patch, *size(patch)) for patch in PATCHES]


@pytest.mark.parametrize("patch", PATCHES)
def test_a_committer_can_read_a_patch(patch: str) -> None:
    assert size(patch)[1] <= MOST_LINES[patch]
    assert parts.test_files(patch)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.name}")
def test_a_hunk_has_no_line_of_kafka_but_those_that_it_replaces(file: Path) -> None:
    lines = file.read_text().splitlines()
    assert lines[0].startswith("--- a/") and lines[1].startswith("+++ b/")
    for line in lines[2:]:
        assert re.fullmatch(r"@@ -\d+(,\d+)? \+\d+(,\d+)? @@|[-+].*", line), line
    removed = sum(line.startswith("-") for line in lines[2:])
    assert removed <= 4, "a hunk that replaces much copies much of Kafka"


@pytest.mark.parametrize("patch", PATCHES)
def test_what_goes_to_kafka_names_nothing_of_this_project(patch: str) -> None:
    for path, text in {**parts.new_files(patch), **parts.test_files(patch)}.items():
        assert text.startswith(parts.HEADER)
        assert not OURS.search(text), path
    for each in parts.hunks(patch):
        assert not OURS.search(each.file.read_text()), each.path


def test_a_patch_builds_on_those_before_it() -> None:
    assert parts.up_to("kafka-7104") == ("kip-501", "kafka-7104")
    with pytest.raises(PatchError, match=r"^'other': expected one of kip-501, kafka-7104, self-"):
        parts.up_to("other")


def test_notice_names_kafka() -> None:
    assert f"Apache Kafka {parts.kafka_version()}" in (ROOT / "NOTICE").read_text()


def test_a_file_with_another_content_is_refused_in_one_line(tmp_path: Path) -> None:
    jar = tmp_path / "kafka-server-4.3.1-sources.jar"
    jar.write_bytes(b"other")
    with pytest.raises(PatchError, match=r"SHA-256 is \w+, expected d102d63f\w+$"):
        tree.verify(jar)
    with pytest.raises(PatchError, match="expected one of the pinned jars"):
        tree.verify(jar.rename(tmp_path / "unknown.jar"))


SOURCE = "server/src/main/java/org/apache/kafka/Toy.java"
NEW = "server/src/main/java/org/apache/kafka/New.java"


def made_up(folder: Path, monkeypatch: pytest.MonkeyPatch, **patches: str) -> Path:
    """Set up patches of one file, by their hunks; return the jar of its sources."""
    for patch, hunks in patches.items():
        (folder / patch / "hunks").mkdir(parents=True)
        text = f"--- a/{SOURCE}\n+++ b/{SOURCE}\n{hunks}"
        (folder / patch / "hunks" / "Toy.java.diff").write_text(text)
    jar = folder / "kafka-server-4.3.1-sources.jar"
    with zipfile.ZipFile(jar, "w") as content:
        content.writestr("org/apache/kafka/Toy.java", "one\ntwo\nthree\n")
    for module in (parts, tree):
        monkeypatch.setattr(module, "HERE", folder)
        monkeypatch.setattr(module, "PATCHES", tuple(patches))
    monkeypatch.setattr(tree, "TREE", folder / "tree")
    return jar


def test_patches_are_applied_in_turn_and_shown_with_context(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = "@@ -3,0 +4 @@\n+four\n"
    jar = made_up(tmp_path, monkeypatch, a="@@ -2 +2 @@\n-two\n+2\n", b=second)
    (tmp_path / "a" / "new" / NEW).parent.mkdir(parents=True)
    (tmp_path / "a" / "new" / NEW).write_text("class New { }\n")
    (tmp_path / "b" / "hunks" / "New.java.diff").write_text(
        f"--- a/{NEW}\n+++ b/{NEW}\n@@ -17,0 +18 @@\n+// later\n"
    )
    patched = tree.make([jar], ["a", "b"])
    assert (patched / SOURCE).read_text() == "one\n2\nthree\nfour\n"
    assert (patched / NEW).read_text() == parts.HEADER + "class New { }\n// later\n"
    tree.write_patches(tmp_path)
    assert "\n one\n-two\n+2\n three\n" in (tmp_path / "a.patch").read_text()
    assert "\n 2\n three\n+four\n" in (tmp_path / "b.patch").read_text()


def test_what_is_committed_in_the_tree_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = made_up(tmp_path, monkeypatch, a="@@ -2 +2 @@\n-two\n+2\n")
    tree.make([jar], ["a"])
    test = SOURCE.replace("main", "test")
    tree._write(SOURCE, "one\n2\n3\n")
    tree._write(test, f"{parts.HEADER}class ToyTest {{ }}\n")
    tree._git("add", "-A")
    tree._git("commit", "-q", "--amend", "-m", "a")
    assert [str(file.relative_to(tmp_path)) for file in tree.record()] == [
        "a/hunks/Toy.java.diff", f"a/tests/{test}",
    ]  # fmt: skip
    hunks = (tmp_path / "a" / "hunks" / "Toy.java.diff").read_text()
    assert hunks == f"--- a/{SOURCE}\n+++ b/{SOURCE}\n@@ -2,2 +2,2 @@\n-two\n-three\n+2\n+3\n"
    assert (tmp_path / "a" / "tests" / test).read_text() == "class ToyTest { }\n"
    assert (tree.make([jar], ["a"]) / SOURCE).read_text() == "one\n2\n3\n"


def test_a_hunk_that_fails_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = made_up(tmp_path, monkeypatch, a="@@ -2 +2 @@\n-2\n+two\n")
    with pytest.raises(PatchError, match=r"^a/hunks/Toy.java.diff: does not apply: error: .*:2$"):
        tree.make([jar], ["a"])


def test_a_compiler_error_is_one_line() -> None:
    with pytest.raises(PatchError, match=r"^the patch does not compile: A.scala:1: error: bad$"):
        build._run(["sh", "-c", "echo A.scala:1: error: bad; echo more; exit 1"])


def test_a_repacked_jar_has_the_patched_classes_only(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.jar", "w") as jar:
        for name in ("k/A.class", "k/A$gone.class", "k/Ab.class", "k/text"):
            jar.writestr(name, "old")
    (tmp_path / "new" / "k").mkdir(parents=True)
    (tmp_path / "new" / "k" / "A.class").write_text("new")
    build._repack(tmp_path / "a.jar", tmp_path / "new", tmp_path / "b.jar")
    with zipfile.ZipFile(tmp_path / "b.jar") as jar:
        found = {name: jar.read(name).decode() for name in jar.namelist()}
    assert found == {"k/Ab.class": "old", "k/text": "old", "k/A.class": "new"}
