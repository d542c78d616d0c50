"""Writes the bills of materials, in CycloneDX's JSON: of the agent's jar, and of the wheel.

The document of the jar has what is inside of it. The document of the wheel has what `pip install
'insync[analysis]'` installs with the versions that the tests run with.
"""

import json
import sys
import venv
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from insync_release.checksums import sha512
from insync_release.commands import run
from insync_release.errors import ReleaseError
from insync_release.notice import Noticed, noticed
from insync_release.source import Source


def of_jar(source: Source, name: str, jar: Path, libraries: Iterable[Mapping[str, str]]) -> None:
    """Write the document of a jar beside it.

    `libraries` is what the Gradle task agentLibraries writes of it. Raises ReleaseError if NOTICE
    lacks a library, or if the document is not valid by CycloneDX's schema.
    """
    from cyclonedx.model.bom import Bom, BomMetaData
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.model.license import DisjunctiveLicense
    from cyclonedx.output.json import JsonV1Dot6
    from packageurl import PackageURL

    target = jar.with_name(f"{jar.stem}.cdx.json")
    agent = Component(
        name=name,
        version=source.version,
        type=ComponentType.LIBRARY,
        bom_ref=f"{name}@{source.version}",
        licenses=[DisjunctiveLicense(id="Apache-2.0")],
        purl=PackageURL("generic", None, name, source.version),
        hashes=[_sha_512(jar)],
    )
    inside = []
    for library, entry in described(libraries, source.text("NOTICE")):
        purl = PackageURL("maven", library["group"], library["name"], library["version"])
        inside.append(
            Component(
                name=library["name"],
                group=library["group"],
                version=library["version"],
                type=ComponentType.LIBRARY,
                bom_ref=str(purl),
                licenses=[DisjunctiveLicense(id=entry.licence)],
                purl=purl,
            )
        )
    when = datetime.fromtimestamp(source.epoch, UTC)
    bom = Bom(components=inside, metadata=BomMetaData(component=agent, timestamp=when))
    bom.register_dependency(agent, inside)
    document = json.loads(JsonV1Dot6(bom).output_as_string())
    # A random number for each document: the only part that is not the same in each build.
    document.pop("serialNumber")
    text = json.dumps(document, indent=2, sort_keys=True) + "\n"
    _validate(text, target)
    target.write_text(text, encoding="utf-8")


def described(
    libraries: Iterable[Mapping[str, str]], notice: str
) -> list[tuple[Mapping[str, str], Noticed]]:
    """Return each library with its entry in NOTICE; raises ReleaseError if it has none."""
    entries = noticed(notice)
    found = []
    for each in libraries:
        entry = entries.get((each["name"], each["version"]))
        if entry is None:
            raise ReleaseError(
                f"NOTICE: {each['name']} {each['version']}: not found, expected an entry"
            )
        found.append((each, entry))
    return found


def of_wheel(source: Source, wheel: Path, home: Path, target: Path) -> None:
    """Write the document of the wheel; its environment is made in the new folder `home`.

    It installs packages from the package index. Raises ReleaseError if that fails.
    """
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    options = ["-q", "--disable-pip-version-check", "--no-compile"]
    constraints: list[str | Path] = ["-c", source.root / "pyharness" / "constraints.txt"]
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, "install"]
    run([*pip, *options, *constraints, f"{wheel}[analysis]"], home)
    tool: list[str | Path] = [sys.executable, "-m", "cyclonedx_py", "environment"]
    written: list[str | Path] = ["--output-reproducible", "--sv", "1.6", "--validate"]
    written += ["--output-file", target]
    project: list[str | Path] = ["--mc-type", "application"]
    project += ["--pyproject", source.root / "pyproject.toml"]
    run([*tool, *written, *project, python], home, source.environment)
    document = json.loads(target.read_text(encoding="utf-8"))
    text = json.dumps(with_wheel(document, source.version, wheel), indent=2) + "\n"
    _validate(text, target)
    target.write_text(text, encoding="utf-8")


def with_wheel(document: Mapping[str, Any], version: str, wheel: Path) -> dict[str, Any]:
    """Return a document whose component says which wheel it is.

    The tool does not know the version, because pyproject.toml takes it from the package.
    """
    known = document["metadata"]["component"]
    component = {
        **known,
        "version": version,
        "purl": f"pkg:generic/{known['name']}@{version}",
        "hashes": [{"alg": "SHA-512", "content": sha512(wheel)}],
    }
    return {**document, "metadata": {**document["metadata"], "component": component}}


def _validate(text: str, target: Path) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if problem is not None:
        raise ReleaseError(f"{target.name}: not valid CycloneDX 1.6: {problem}")


def _sha_512(file: Path) -> Any:
    from cyclonedx.model import HashAlgorithm, HashType

    return HashType(alg=HashAlgorithm.SHA_512, content=sha512(file))
