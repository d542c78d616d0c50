"""Check a Spark master before a command starts its work: its form, and whether it answers.

Of YARN and Kubernetes only the form is checked, because their addresses may be elsewhere.
"""

import re
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final
from urllib.parse import urlsplit

from insync.errors import InputError, InsyncError

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
    with suppress(ValueError):  # of a port that is no number, or too large
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


def _connect(address: Address, answers: "SimpleQueue[str | None]") -> None:
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
