"""Which engine a user asked for: whether it is installed, and whether a Spark master answers.

A command checks this before it starts its work. Of YARN and Kubernetes only the form is checked,
because their addresses may be elsewhere.
"""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from insync.errors import InputError, InsyncError

ENGINES: Final = ("auto", "embedded", "spark")
WITHIN_S: Final = 3.0
"""How long all addresses of a master may take together, with the look-up of their names."""
STANDALONE: Final = "spark://"

_N: Final = r"\s*[1-9][0-9]*\s*"
_FORMS: Final = {
    "local": r"local",
    "local[N]": rf"local\[({_N}|\*)\]",
    "local[N,FAILURES]": rf"local\[({_N}|\*),{_N}\]",
    "local-cluster[N,CORES,MB]": rf"local-cluster\[{_N},{_N},{_N}\]",
    f"{STANDALONE}HOST:PORT[,HOST:PORT]": rf"{STANDALONE}.+",
    "k8s://HOST:PORT": r"k8s://.+",
    "yarn": r"yarn",
}

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """What computes the tables; `recompute`: also those that are of these events already."""

    engine: Annotated[
        Literal["auto", "embedded", "spark"],
        "What computes the tables. auto: Spark for more than 1 GB of events, or remote folders.",
    ] = "auto"
    master: Annotated[str | None, "--spark-master", "Spark master; it asks for Spark."] = None
    conf: Annotated[Mapping[str, str], "--spark-conf", "Spark setting KEY=VALUE; repeatable."] = (
        field(default_factory=dict)
    )
    recompute: bool = False

    @property
    def spark_because(self) -> str | None:
        """Return the option that asks for Spark, None if there is none."""
        if self.engine == "spark":
            return "--engine spark"
        if self.master is not None:
            return f"--spark-master {self.master}"
        return next((f"--spark-conf {key}={value}" for key, value in self.conf.items()), None)


def conf_of(pairs: Sequence[str], option: str = "--spark-conf") -> dict[str, str]:
    """Return KEY=VALUE settings by key; raises InputError for one without a value."""
    conf = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise InputError(f"{option} {pair!r}: expected KEY=VALUE")
        conf[key] = value
    return conf


def require_engine(options: AnalysisOptions) -> None:
    """Raise an InputError if what the options ask for contradicts itself or is not installed."""
    because = options.spark_because
    if options.engine == "embedded":
        if because is not None:
            raise InputError(f"{because}: expected --engine spark or auto with it, not embedded")
        if not has_embedded():
            raise _missing("--engine embedded", "analysis")
    elif because is not None:
        require_spark(because)
    elif not (has_embedded() or has_spark()):
        raise _missing("--engine auto", "analysis")


def require_spark(because: str) -> None:
    """Raise an InputError if Spark is not installed; `because` is what needs it."""
    if not has_spark():
        raise _missing(because, "spark")


def _missing(because: str, extra: str) -> InputError:
    engine = "Apache Spark" if extra == "spark" else "the embedded engine"
    return InputError(
        f"{because}: needs {engine}, which is not installed, expected the extra '{extra}':"
        f" pip install 'insync[{extra}]'"
    )


def has_embedded() -> bool:
    """Whether the embedded engine is installed; not every platform has it."""
    return find_spec("pysail") is not None


def has_spark() -> bool:
    """Whether Apache Spark is installed: its client alone has no `pyspark.core`."""
    return find_spec("pyspark") is not None and find_spec("pyspark.core") is not None


def require_master(master: str, *, probe: bool = True) -> None:
    """Check that Spark knows `master` and, if it names hosts and on `probe`, that one answers.

    Raises InputError for an unknown form, InsyncError if none answers in time.
    """
    if not any(re.fullmatch(form, master) for form in _FORMS.values()):
        raise _unknown(master)
    if not master.startswith(STANDALONE):
        return
    listed = master.removeprefix(STANDALONE).split(",")
    addresses = [_address(master, each) for each in listed]
    if probe and (reasons := _probe(addresses)):
        raise InsyncError(f"--spark-master {master}: no answer ({'; '.join(reasons)})")


def _unknown(master: str) -> InputError:
    return InputError(f"--spark-master {master!r}: expected {', '.join(_FORMS)}")


def _address(master: str, listed: str) -> Address:
    """Return host and port of one HOST:PORT of `master`; raises InputError if it is none."""
    with suppress(ValueError):  # of a port that is not a number, or too large
        parts = urlsplit(f"//{listed}")
        if parts.hostname and parts.port and parts.netloc == listed and "@" not in listed:
            return parts.hostname, parts.port
    raise _unknown(master)


def _probe(addresses: Sequence[Address]) -> list[str]:
    """Connect to all addresses at once; return why none answered, nothing if one did.

    Each has a thread of its own, because nothing else bounds the look-up of a name.
    """
    answers: SimpleQueue[str | None] = SimpleQueue()
    for address in addresses:
        threading.Thread(target=_connect, args=(address, answers), daemon=True).start()
    end = time.monotonic() + WITHIN_S
    reasons: dict[str, None] = {}
    for _ in addresses:
        try:
            reason = answers.get(timeout=max(0.0, end - time.monotonic()))
        except Empty:
            reason = _timed_out()
        if reason is None:
            return []
        reasons[reason] = None
    return list(reasons)


def _connect(address: Address, answers: SimpleQueue[str | None]) -> None:
    """Put None into `answers` if a connection can be opened, else the reason."""
    try:
        socket.create_connection(address, WITHIN_S).close()
        answers.put(None)
    except TimeoutError:
        answers.put(_timed_out())
    except (OSError, UnicodeError) as error:  # UnicodeError: a name that cannot be looked up
        answers.put(getattr(error, "strerror", None) or str(error))


def _timed_out() -> str:
    return f"nothing within {WITHIN_S:g} s"


PACKAGES: Final = ("pyspark", "pandas", "pyarrow", "scipy", "networkx")
"""The packages of the extra `analysis`, by the names under which they are imported.

Without the engines, of which one is enough: `require_engine` asks for it.
"""


def require_analysis(wanted_by: str, instead: str = "") -> None:
    """Raise an InputError of one line if the extra `analysis` is not installed.

    `wanted_by` is what needs it, such as a command; `instead` is what works without it.
    """
    package = next((each for each in PACKAGES if find_spec(each) is None), None)
    if package is not None:
        other = f", or {instead}" if instead else ""
        raise InputError(
            f"{wanted_by}: needs {package}, which is not installed, expected the extra 'analysis':"
            f" pip install 'insync[analysis]'{other}"
        )
