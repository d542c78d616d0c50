"""A node's folders as copies of a template in which only the ids differ."""

import re
from pathlib import Path

from insync.brokers.kafka import formats

META = """#
#Sat Nov 21 11:28:12 UTC 2026
node.id=1
directory.id=M6EGEt8y5n3jbitW3xNIzQ
version=1
cluster.id=MkU3OEVBNTcwNTJENDM2Qg
"""


def values(meta: Path) -> dict[str, str]:
    lines = (line for line in meta.read_text().splitlines() if not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines)


def test_a_copy_has_its_own_ids_and_the_rest_of_the_template(tmp_path: Path) -> None:
    for part in ("data", "metadata"):
        (tmp_path / "template" / part).mkdir(parents=True)
        (tmp_path / "template" / part / "meta.properties").write_text(META)
    (tmp_path / "template" / "metadata" / "bootstrap.checkpoint").write_bytes(b"features")
    (tmp_path / "template" / "metadata" / "log").mkdir()
    (tmp_path / "template" / "metadata" / "log" / "0.log").write_bytes(b"records")
    (tmp_path / "node" / "data").mkdir(parents=True)
    formats.copy(tmp_path / "template", tmp_path / "node", node=3, cluster="a-new-cluster")
    data = values(tmp_path / "node" / "data" / "meta.properties")
    metadata = values(tmp_path / "node" / "metadata" / "meta.properties")
    assert data == {**metadata, "directory.id": data["directory.id"]}
    assert (data["node.id"], data["version"]) == ("3", "1")
    assert data["cluster.id"] == "a-new-cluster"
    template = "M6EGEt8y5n3jbitW3xNIzQ"
    assert len({data["directory.id"], metadata["directory.id"], template}) == 3
    assert (tmp_path / "node" / "metadata" / "bootstrap.checkpoint").read_bytes() == b"features"
    assert (tmp_path / "node" / "metadata" / "log" / "0.log").read_bytes() == b"records"


def test_ids_have_kafkas_format() -> None:
    ids = {formats.new_id() for _ in range(200)}
    assert len(ids) == 200
    assert all(re.fullmatch("[A-Za-z0-9_][A-Za-z0-9_-]{21}", made) for made in ids)
