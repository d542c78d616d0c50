"""Reads, writes, lists and renames files on any file system that Spark can reach, through Hadoop.

All calls go to the JVM in which Spark runs, so that a path has the same meaning here as in Spark.
Errors become an InsyncError of one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

from insync.errors import InsyncError

LOCAL, ONE_SLASH = "^file:/+", "file:/"
"""Hadoop writes URIs of local files with one slash or with three; this module always with one."""

_COMPLETE_AT_CLOSE = "fs.capability.outputstream.abortable"
"""Names the capability of stores that show a file only when its writer has closed it."""
_ACCESSED = r"access_time=\d+"


class Hadoop:
    """The file systems that a session can reach. Paths are literal, but for those of `matching`."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm: Any = spark._jvm
        self._gateway: Any = spark.sparkContext._gateway
        self._conf: Any = spark._jsc.hadoopConfiguration()

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder."""
        with _errors_of(path):
            return bool(self._system(path).exists(self._path(path)))

    def children(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted."""
        with _errors_of(folder):
            listed = self._system(folder).listStatus(self._path(folder))
            return sorted(status.getPath().getName() for status in listed)

    def folders(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, sorted."""
        with _errors_of(folder):
            listed = self._system(folder).listStatus(self._path(folder))
            return sorted(each.getPath().getName() for each in listed if each.isDirectory())

    def matching(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern, sorted."""
        with _errors_of(pattern):
            found = self._system(pattern).globStatus(self._path(pattern))
            return sorted(status.getPath().toString() for status in found or ())

    def read(self, path: str) -> str:
        """Return the text of a small file."""
        with _errors_of(path):
            stream = self._system(path).open(self._path(path))
            try:
                return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()

    def write(self, path: str, content: str | bytes) -> None:
        """Write a small file; replace it if it exists."""
        data = content.encode() if isinstance(content, str) else content
        with _errors_of(path):
            stream = self._system(path).create(self._path(path), True)
            try:
                stream.write(data)
            finally:
                stream.close()

    def publish(self, path: str, content: str) -> None:
        """Write a small file at once: a reader sees the old content or the new one, never a part.

        Object stores show a file when it is complete. Elsewhere a file beside it is renamed.
        """
        with _errors_of(path):
            if self._system(path).hasPathCapability(self._path(path), _COMPLETE_AT_CLOSE):
                self.write(path, content)
                return
            beside = f"{path}.new"
            self.write(beside, content)
            context = self._jvm.org.apache.hadoop.fs.FileContext.getFileContext(
                self._path(path).toUri(), self._conf
            )
            rename = self._jvm.org.apache.hadoop.fs.Options.Rename
            options = self._gateway.new_array(rename, 1)
            options[0] = rename.OVERWRITE
            context.rename(self._path(beside), self._path(path), options)

    def state_of_files(self, pattern: str) -> str:
        """Return the paths, lengths and times of the files that match a pattern, as one text."""
        with _errors_of(pattern):
            found = self._system(pattern).globStatus(self._path(pattern))
            listed = sorted(str(status.toString()) for status in found or ())
        return re.sub(_ACCESSED, "", "\n".join(listed))

    def delete(self, folder: str) -> None:
        """Remove a folder and its contents, if it exists."""
        with _errors_of(folder):
            self._system(folder).delete(self._path(folder), True)

    def move(self, folder: str, to: str) -> None:
        """Rename a folder within its file system; `to` must not exist."""
        with _errors_of(folder):
            moved = self._system(folder).rename(self._path(folder), self._path(to))
        if not moved:
            raise InsyncError(f"{folder}: could not be renamed to {to}")

    def encoded(self, path: str) -> str:
        """Return a folder's URI as Spark gives it in the names of the files that it lists."""
        with _errors_of(path):
            listed = self._system(path).getFileStatus(self._path(path)).getPath()
            return re.sub(LOCAL, ONE_SLASH, str(listed.toUri().toString()))

    def qualified(self, path: str) -> str:
        """Return the absolute path with its file system, for Spark's writers."""
        with _errors_of(path):
            return str(self._system(path).makeQualified(self._path(path)).toString())

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> Any:
        return self._path(path).getFileSystem(self._conf)


@contextmanager
def _errors_of(path: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise InsyncError(f"{path}: {cause(error)}") from error


def cause(error: BaseException) -> str:
    """Return the root cause of an error of Spark or its JVM in one line.

    The messages of Py4J and Spark begin with the call that failed; the innermost exception names
    the cause, such as a full disk or a value that cannot be cast.
    """
    java: Any = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    if java is None:
        return _first_line(str(error)) or type(error).__name__
    while java.getCause() is not None:
        java = java.getCause()
    return _first_line(f"{java.getClass().getSimpleName()}: {java.getMessage()}")


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
