"""The classes of Spark in a file that the JVM maps: a JVM that loads them from Spark's jars spends seconds on that.

The first session without the file writes it when it ends, to the cache folder (`$PROBE_CACHE/spark`). Every Java and
every Spark have a file of their own, of some 180 MB; the four that were used last stay. A JVM ignores a file that does
not fit; the file can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path

import pyspark

from probe.files.atomic_writes import writing
from probe.toolchain.tools import cache_root

_NEW = "classes.jsa"
_KEPT = 4
"""Files that stay in the cache: one of each checkout that somebody works in, since a Spark is known by its place."""
_QUIET = ("-XX:+IgnoreUnrecognizedVMOptions", "-Xlog:disable", "-Xlog:all=error:stderr")
"""The JVM would list the classes that it leaves out."""


def archive_options(java: Path, folder: str) -> tuple[str, ...]:
    """Return the options of a JVM that uses the archive, or writes it into the folder of the session at its end."""
    try:
        found = _archive(java)
    except OSError:  # no cache folder
        return ()
    if found.exists():
        with suppress(OSError):  # a cache that cannot be written serves what it has
            os.utime(found)
        return (f"-XX:SharedArchiveFile={found}", *_QUIET)
    return (f"-XX:ArchiveClassesAtExit={folder}/{_NEW}", *_QUIET)


def writes_archive(options: str) -> bool:
    """Return whether a JVM with these options writes an archive at its end, which takes some seconds more."""
    return "-XX:ArchiveClassesAtExit=" in options


def keep_archive(java: Path, folder: str) -> None:
    """Keep the archive of a session that has ended in the cache; nothing happens if there is none."""
    with suppress(OSError):  # no archive, or no room: the next session tries again
        found = _archive(java)
        found.parent.mkdir(parents=True, exist_ok=True)
        with writing(found) as aside:
            shutil.copyfile(Path(folder) / _NEW, aside)
        _remove_old(found.parent)


def _remove_old(kept: Path) -> None:
    """Remove the files that were used longest ago. A JVM that has one of them open keeps it to its end."""
    used = sorted(kept.glob("classes-*.jsa"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in used[_KEPT:]:
        path.unlink(missing_ok=True)


def _archive(java: Path) -> Path:
    """Return the path of the archive for a Java and the installed Spark."""
    program = java.resolve()
    stamp = program.stat()
    text = repr((str(program), stamp.st_mtime_ns, stamp.st_size, pyspark.__version__, pyspark.__file__))
    return cache_root() / "spark" / f"classes-{hashlib.sha256(text.encode()).hexdigest()[:16]}.jsa"
