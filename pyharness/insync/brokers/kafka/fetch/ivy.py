"""Fetch pinned jars with Apache Ivy, whose jar comes with pyspark.

Ivy needs only Java, knows Maven Central, and checks each download against the checksum that
is published beside it. It must not resolve dependencies here: every jar is pinned, so it is
configured to fetch no poms and to follow no dependencies.
"""

import importlib.util
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from insync.brokers.kafka import process
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.jvm import SHORT_LIVED
from insync.brokers.kafka.versions import Jar
from insync.errors import InputError

SETTINGS_VARIABLE = "INSYNC_IVY_SETTINGS"
# Ivy fetches one file after the other and mostly waits for answers, so several run in parallel.
_PARALLEL = 4
_DONE_WITHIN_S = 600.0
_LOG = "ivy.log"
_SETTINGS = """<ivysettings>
  <settings defaultResolver="central"/>
  <resolvers>
    <ibiblio name="central" m2compatible="true" usepoms="false" checksums="sha1"/>
  </resolvers>
</ivysettings>
"""
_REASON = re.compile(
    r"not found$|invalid sha1|invalid md5|Exception|FAILED|impossible|timed out|denied|No space"
)


def fetch(jars: Sequence[Jar], java: Java, libs: Path, scratch: Path) -> None:
    """Download `jars` into the folder `libs`; Ivy works in `scratch`, which the caller removes.

    Raises InputError if a jar cannot be fetched or fails the registry's checksum.
    """
    settings = _settings(scratch)
    shares = [jars[first::_PARALLEL] for first in range(min(_PARALLEL, len(jars)))]
    running: dict[Path, subprocess.Popen[bytes]] = {}
    try:
        for number, share in enumerate(shares):
            folder = scratch / str(number)
            running[folder] = _start(share, java, settings, libs, folder)
        for folder, ivy in running.items():
            if ivy.wait(_DONE_WITHIN_S) != 0:
                message = (folder / _LOG).read_text(encoding="utf-8", errors="replace")
                raise InputError(f"ivy: cannot fetch Kafka's jars: {reason(message)}")
    except subprocess.TimeoutExpired:
        raise InputError(f"ivy: not done in {_DONE_WITHIN_S:.0f} s, expected a registry") from None
    finally:
        process.kill(tuple(running.values()))


def jar_of_pyspark() -> Path | None:
    """Return pyspark's Ivy jar without importing pyspark; None if there is none."""
    spec = importlib.util.find_spec("pyspark")
    folders = spec.submodule_search_locations if spec else None
    found = (sorted(Path(folder).glob("jars/ivy-*.jar")) for folder in folders or ())
    return next((jars[0] for jars in found if jars), None)


def own_settings() -> Path | None:
    """Return the user's own Ivy settings, for example a mirror's; raises InputError if missing."""
    own = os.environ.get(SETTINGS_VARIABLE)
    if not own:
        return None
    if not Path(own).is_file():
        raise InputError(f"ivy: {SETTINGS_VARIABLE} is {own}, expected a readable file")
    return Path(own).absolute()


def _settings(scratch: Path) -> Path:
    """Return the user's own settings, else ours: Maven Central."""
    own = own_settings()
    if own is not None:
        return own
    ours = scratch / "ivysettings.xml"
    ours.write_text(_SETTINGS, encoding="utf-8")
    return ours


def _start(
    jars: Sequence[Jar], java: Java, settings: Path, libs: Path, folder: Path
) -> "subprocess.Popen[bytes]":
    folder.mkdir()
    wanted = folder / "ivy.xml"
    wanted.write_text(_module(jars), encoding="utf-8")
    command = [
        str(java.binary), *SHORT_LIVED,
        f"-Divy.default.ivy.user.dir={folder}",
        "-jar", str(jar_of_pyspark()), "-warn",
        "-settings", str(settings), "-ivy", str(wanted), "-cache", str(folder / "cache"),
        "-retrieve", str(libs / "[artifact]-[revision](-[classifier]).[ext]"),
    ]  # fmt: skip
    return process.start(command, log=folder / _LOG, folder=folder, environment=os.environ)


def _module(jars: Sequence[Jar]) -> str:
    wanted = "\n".join(
        f"    <dependency org={quoteattr(jar.org)} name={quoteattr(jar.name)} "
        f'rev={quoteattr(jar.revision)} transitive="false" conf="default->*">{_artifact(jar)}'
        "</dependency>"
        for jar in jars
    )
    return f"""<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="insync" module="kafka"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
{wanted}
  </dependencies>
</ivy-module>
"""


def _artifact(jar: Jar) -> str:
    """Return which artifact of its module a jar with a classifier is, else nothing."""
    if not jar.classifier:
        return ""
    name, classifier = quoteattr(jar.name), quoteattr(jar.classifier)
    return f'<artifact name={name} type="jar" ext="jar" m:classifier={classifier}/>'


def reason(output: str) -> str:
    """Return the line of Ivy's output that says what went wrong, or its last line."""
    lines = [line.strip(" \t:") for line in output.splitlines()]
    telling = [line for line in lines if _REASON.search(line)]
    # The first such line is the cause; later ones are consequences.
    return next(iter(telling or [line for line in reversed(lines) if line]), "no output")
