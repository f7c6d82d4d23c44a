"""Programs of others that are run once, to their end: bounded in time, and in what is kept of their output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

KEPT = 1 << 20
"""Bytes that are kept of each stream; what comes after them is read and discarded."""
CHUNK = 1 << 16
CLOSING_S = 1.0
"""Longest wait for the end of a stream after that of the program: a child that it left may hold it open."""


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a program: bytes that are no UTF-8 are replaced."""

    out: str
    errors: str


def run_once(argv: Sequence[str], given: str = "", *, seconds: float) -> Output:
    """Run a program with this input to its end.

    Raises subprocess.TimeoutExpired if it does not end within `seconds`; its process group is killed then. Raises
    OSError if it cannot be started.
    """
    running = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert running.stdin is not None
    assert running.stdout is not None
    assert running.stderr is not None
    out, errors = bytearray(), bytearray()
    readers = [
        threading.Thread(target=_keep, args=(stream, kept), daemon=True)
        for stream, kept in ((running.stdout, out), (running.stderr, errors))
    ]
    for reader in readers:
        reader.start()
    try:
        with contextlib.suppress(BrokenPipeError), running.stdin:
            running.stdin.write(given.encode())
        running.wait(seconds)
    except BaseException:
        os.killpg(running.pid, signal.SIGKILL)  # it was not waited for, so the group is still its own
        running.wait()
        raise
    finally:
        for reader in readers:
            reader.join(CLOSING_S)
    return Output(out.decode(errors="replace"), errors.decode(errors="replace"))


def _keep(stream: IO[bytes], kept: bytearray) -> None:
    with stream:
        while chunk := stream.read1(CHUNK):  # type: ignore[attr-defined]  # a pipe is buffered
            kept += chunk[: KEPT - len(kept)]
