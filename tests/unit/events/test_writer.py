"""Lines reach the file whole and in order, from many threads, and outlive a killed writer."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from commands import run_python
from event_lines import read_lines
from insync.events.schema import ConsumeLine, PhaseLine
from insync.events.writer import EventWriter, encode, replaced_together, write_atomic


def test_a_line_starts_with_the_schema_version_and_keeps_the_order_of_its_fields() -> None:
    line = PhaseLine(type="steady", t_ms=1.5, arm="stock", repeat=0, topic="t-r0")
    assert encode(line) == (
        b'{"v":1,"type":"steady","t_ms":1.5,"arm":"stock","repeat":0,"topic":"t-r0","note":"",'
        b'"longest_gap_ms":null,"seed":null}\n'
    )


def test_a_mapping_is_written_unchanged() -> None:
    assert encode({"v": 1, "isr": [1, 2], "elr": None}) == b'{"v":1,"isr":[1,2],"elr":null}\n'


def test_lines_of_many_threads_are_all_present_and_complete(tmp_path: Path) -> None:
    path = tmp_path / "new" / "consume-0.jsonl"

    def write(writer: EventWriter, partition: int) -> None:
        for seq in range(200):
            line = ConsumeLine(
                arm="stock", repeat=0, topic="t" * 100, partition=partition,
                offset=seq, seq=seq, read_ms=0.0, nth=seq,
            )  # fmt: skip
            writer.write(line)

    with EventWriter(path) as writer, ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(write, writer, partition) for partition in range(8)]:
            done.result()
    lines = read_lines(path)
    for partition in range(8):
        assert [line["seq"] for line in lines if line["partition"] == partition] == [*range(200)]


def test_a_writer_appends_to_an_existing_file(tmp_path: Path) -> None:
    for number in range(2):
        with EventWriter(tmp_path / "f.jsonl") as writer:
            writer.write({"v": number})
    assert (tmp_path / "f.jsonl").read_text() == '{"v":0}\n{"v":1}\n'


def test_written_lines_survive_a_kill(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, sys; from insync.events.writer import EventWriter;"
        "w = EventWriter(pathlib.Path(sys.argv[1])); w.write({'v': 1}); os.kill(os.getpid(), 9)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    path = tmp_path / "f.jsonl"
    assert run_python("-c", script, path, env=environment).returncode == -9
    assert path.read_text() == '{"v":1}\n'


def test_a_closed_writer_refuses(tmp_path: Path) -> None:
    writer = EventWriter(tmp_path / "f.jsonl")
    writer.close()
    writer.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        writer.write({"v": 1})


def test_a_full_disk_is_named_by_the_file_that_could_not_be_written(tmp_path: Path) -> None:
    full = tmp_path / "full.jsonl"
    for link in (full, tmp_path / ".page.html.new"):
        link.symlink_to("/dev/full")
    with EventWriter(full) as writer, pytest.raises(OSError, match=f"No space .*'{full}'"):
        writer.write({"v": 1})
    page = tmp_path / "page.html"
    with pytest.raises(OSError, match=f"No space .*'{page}'"):
        write_atomic(page, "text")


def test_files_of_several_folders_are_replaced_together(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "a" / "b"]
    for folder in folders:
        folder.mkdir()
        (folder / "old").write_text("old")
        (folder / ".new").mkdir()
        (folder / ".new" / "left").write_text("by a killed process")

    def write(fresh: dict[Path, Path]) -> None:
        for folder in folders:
            write_atomic(fresh[folder] / "old", "new")

    with pytest.raises(OSError, match="full"), replaced_together(folders) as fresh:
        write(fresh)
        raise OSError("full")
    assert [(f / "old").read_text() for f in folders] == ["old", "old"]
    with replaced_together(folders) as fresh:
        write(fresh)
    assert [(f / "old").read_text() for f in folders] == ["new", "new"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "old", "old"]
