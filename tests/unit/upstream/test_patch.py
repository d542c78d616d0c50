"""The source patch of Kafka: its hunks, its page and the agent's configs agree; its build's errors.

Nothing is applied or compiled here: `make upstream-patch` does both.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from insync import arms
from patch_kafka import build, parts, tree
from patch_kafka.parts import HERE, PatchError

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "upstream.md").read_text()
AGENT = ROOT / "plugin-java" / "agent" / "src" / "main" / "java" / "insync" / "agent"
OURS = re.compile(
    r"\b(?<!reads\.)(?<!min\.)insync\b(?!\.(scope|relinquish))|\b(plugin|agent|woven|weave)\b"
)
"""Words of this project, not those of a config's name."""
DEFAULTS = {
    arms.FEATURE: "false",
    arms.SCOPE: "request",
    "follower.log.start.offset.bound.enable": "false",
    "leader.fetch.snapshot.enable": "false",
    arms.PROCESS_TIME: "-1",
    arms.VIA: "auto",
    arms.ISR: "leave",
    "insync.relinquish.cooldown.ms": "300000",
}
CONFIGS = (HERE / "hunks" / "ReplicationConfigs.java.diff").read_text()


def section(name: str) -> list[list[str]]:
    """Return the cells of a table of the page."""
    inside = PAGE.split(f"<!-- {name}: begin -->")[1].partition(f"<!-- {name}: end -->")[0]
    rows = [line.strip("|").split(" | ") for line in inside.strip().splitlines()[2:]]
    return [[cell.strip() for cell in row] for row in rows]


def defined() -> dict[str, str]:
    """Return the configs that the patch defines, with their defaults."""
    names = dict(re.findall(r'String (\w+)_CONFIG = "([a-z.]+)";', CONFIGS))
    values = dict(re.findall(r"(\w+)_DEFAULT = (\S+);", CONFIGS))
    texts = dict(re.findall(r'String (PENDING_READS_SCOPE_\w+) = "(\w+)";', CONFIGS))
    return {
        name: texts.get(values[key], values[key]).strip('"').removesuffix("L")
        for key, name in names.items()
    }


def test_the_page_lists_the_configs_with_their_defaults() -> None:
    listed = {row[0].strip("`"): row[1].strip("`") for row in section("configs")}
    assert listed == defined() == DEFAULTS


def test_the_page_says_which_configs_can_be_updated() -> None:
    dynamic = (HERE / "hunks" / "DynamicBrokerConfig.java.diff").read_text()
    keys = re.findall(r"^\+ .*ReplicationConfigs\.(\w+)_CONFIG", dynamic, re.M)
    names = dict(re.findall(r'String (\w+)_CONFIG = "([a-z.]+)";', CONFIGS))
    listed = {row[0].strip("`") for row in section("configs") if row[2] == "yes"}
    added = {names[key] for key in keys if key in names}
    cooldown = "insync.relinquish.cooldown.ms"
    assert listed == added == {arms.FEATURE, arms.SCOPE, arms.PROCESS_TIME, cooldown}


def test_the_page_lists_the_metrics() -> None:
    changes = (HERE / "hunks" / "ReplicaManager.scala.diff").read_text()
    names = re.findall(r'^\+ .* val \w+MetricName = "(\w+)"', changes, re.M)
    assert [row[0].strip("`") for row in section("metrics")] == names


def test_the_configs_are_the_agents() -> None:
    agent = "".join(
        (AGENT / file).read_text()
        for file in (
            "isr/PendingReadsConfig.java",
            "stepdown/broker/StepDownConfigs.java",
        )
    )
    of_kafka_7104 = {"follower.log.start.offset.bound.enable", "leader.fetch.snapshot.enable"}
    for name in defined().keys() - of_kafka_7104:
        assert f'"{name}"' in agent


def test_the_page_lists_the_files_of_kafka_that_the_patch_changes() -> None:
    listed = [row[0].strip("`") for row in section("files")]
    assert listed == sorted(each.path for each in parts.hunks())


@pytest.mark.parametrize("file", sorted((HERE / "hunks").iterdir()), ids=lambda file: file.name)
def test_a_hunk_has_no_line_of_kafka_but_those_that_it_replaces(file: Path) -> None:
    lines = file.read_text().splitlines()
    assert lines[0].startswith("--- a/") and lines[1].startswith("+++ b/")
    for line in lines[2:]:
        assert re.fullmatch(r"@@ -\d+(,\d+)? \+\d+(,\d+)? @@|[-+].*", line), line
    removed = sum(line.startswith("-") for line in lines[2:])
    assert removed <= 12, "a hunk that replaces much copies much of Kafka"


def test_the_page_says_how_large_the_change_is() -> None:
    files = [each.file.read_text().splitlines()[2:] for each in parts.hunks()]
    added, removed = (
        sum(line.startswith(sign) for lines in files for line in lines) for sign in "+-"
    )
    said = f"{len(files)} files of Kafka, by {added} added and {removed} removed lines"
    assert said in PAGE


def test_what_moves_to_kafka_names_nothing_of_this_project() -> None:
    for path, text in {**parts.new_files(), **parts.test_files()}.items():
        assert text.startswith(parts.HEADER)
        assert not OURS.search(text), path


def test_every_rule_of_the_agent_is_in_the_patch() -> None:
    moved = {Path(path).name for path in parts.new_files()}
    folders = (parts.CORE / "isr", parts.CORE / "stepdown")
    rules = {file.name for folder in folders for file in folder.glob("*.java")}
    assert rules - moved == set(parts.NOT_MOVED)


def test_notice_names_kafka() -> None:
    assert f"Apache Kafka {parts.kafka_version()}" in (ROOT / "NOTICE").read_text()


def test_a_file_with_another_content_is_refused_in_one_line(tmp_path: Path) -> None:
    jar = tmp_path / "kafka-server-4.3.1-sources.jar"
    jar.write_bytes(b"other")
    with pytest.raises(PatchError, match=r"SHA-256 is \w+, expected d102d63f\w+$"):
        tree.verify(jar)
    with pytest.raises(PatchError, match="expected one of the pinned jars"):
        tree.verify(jar.rename(tmp_path / "unknown.jar"))


def made_up(folder: Path, monkeypatch: pytest.MonkeyPatch, hunk: str, source: str) -> Path:
    """Set up a patch of one file; return the jar of its sources."""
    path = "server/src/main/java/org/apache/kafka/Toy.java"
    (folder / "hunks").mkdir()
    (folder / "hunks" / "Toy.java.diff").write_text(f"--- a/{path}\n+++ b/{path}\n{hunk}")
    jar = folder / "kafka-server-4.3.1-sources.jar"
    with zipfile.ZipFile(jar, "w") as content:
        content.writestr("org/apache/kafka/Toy.java", source)
    for module in (parts, tree):
        monkeypatch.setattr(module, "HERE", folder)
    monkeypatch.setattr(tree, "TREE", folder / "tree")
    monkeypatch.setattr(tree, "new_files", dict)
    monkeypatch.setattr(tree, "test_files", dict)
    return jar


def test_a_hunk_is_applied_and_shown_with_context(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = made_up(tmp_path, monkeypatch, "@@ -2 +2 @@\n-two\n+2\n", "one\ntwo\nthree\n")
    patched = tree.make([jar])
    toy = patched / "server/src/main/java/org/apache/kafka/Toy.java"
    assert toy.read_text() == "one\n2\nthree\n"
    tree.write_patch(tmp_path / "patch")
    assert "\n one\n-two\n+2\n three\n" in (tmp_path / "patch").read_text()


def test_a_hunk_that_does_not_apply_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = made_up(tmp_path, monkeypatch, "@@ -2 +2 @@\n-2\n+two\n", "one\ntwo\nthree\n")
    with pytest.raises(PatchError, match=r"^hunks/Toy.java.diff: does not apply: error: .*:2$"):
        tree.make([jar])


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
