"""Names the place at which a thread of a broker is inside a call to the file system, by its stack.

A stack is a list of CLASS.METHOD, the innermost first, as JMX shows it. Java's native methods have
these names on Linux: in 17 in `FileDispatcherImpl` and `FileChannelImpl`, from 21 on in
`UnixFileDispatcherImpl` and `FileDispatcherImpl`.
"""

from collections.abc import Sequence
from typing import Final

_CALLS: Final = {
    "pread0": "read", "read0": "read", "readv0": "read",
    "transferTo0": "send",
    "pwrite0": "write", "write0": "write", "writev0": "write",
    "force0": "flush",
    "setLength0": "index", "truncate0": "index",
    "open0": "roll",
}  # fmt: skip
"""The sites by the native methods in which a call to the file system hangs."""
_OF_FILES: Final = (
    "sun.nio.ch.FileDispatcherImpl", "sun.nio.ch.UnixFileDispatcherImpl",
    "sun.nio.ch.FileChannelImpl", "java.io.RandomAccessFile", "java.io.FileInputStream",
    "java.io.FileOutputStream", "sun.nio.fs.UnixNativeDispatcher",
)  # fmt: skip
_SOCKET: Final = ("sun.nio.ch.SocketDispatcher", "sun.nio.ch.SocketChannelImpl")
"""In Java 17 a socket is written by `FileDispatcherImpl.write0` as well."""


def site_of(frames: Sequence[str]) -> str | None:
    """Return the site of a thread in a call to the file system; None if it is in no such call."""
    if not frames:
        return None
    owner, _, method = frames[0].rpartition(".")
    site = _CALLS.get(method)
    if site is None or owner not in _OF_FILES:
        return None
    on_socket = any(frame.startswith(_SOCKET) for frame in frames[:4])
    return None if on_socket and site != "send" else site
