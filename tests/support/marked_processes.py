"""Processes of a command, found by a mark in their environment, so that those that are left over are found, too."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.deadlines import LONGEST_S

PROBE = str(Path(sys.executable).with_name("probe"))
MARK = "PROBE_TEST_MARK"


def marked(mark: str) -> dict[int, str]:
    """Return the running processes whose environment has the mark, with their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() not in (folder / "environ").read_bytes():
                continue
            if (folder / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
    return found


@contextmanager
def started(argv: list[str], **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a command with a mark; yield its process and the mark. It is killed at the end if it still runs."""
    mark = uuid.uuid4().hex
    env: Mapping[str, str] = {**os.environ, **environment, MARK: mark}
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process, mark
        finally:
            process.kill()


def left(mark: str, within_s: float = LONGEST_S) -> dict[int, str]:
    """Return the marked processes that do not end within a time."""
    deadline = time.monotonic() + within_s
    while (found := marked(mark)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found
