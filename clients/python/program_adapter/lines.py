"""Lines of JSON to and from a program."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from probe.driver_contract import driver_pb2 as pb

LONGEST = 1 << 20
"""Bytes of the longest line that is read."""


class LineError(Exception):
    """A line that the contract does not have, or a program that ended by itself."""


class Program:
    """A running program."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._lock = threading.Lock()

    def write(self, line: Mapping[str, Any]) -> None:
        """Write a line; a program that reads no more misses it."""
        assert self._process.stdin is not None
        with self._lock:
            try:
                self._process.stdin.write(json.dumps(line).encode() + b"\n")
                self._process.stdin.flush()
            except (BrokenPipeError, ValueError):
                return

    def lines(self) -> Iterator[Mapping[str, Any]]:
        """Yield what it says to its end. LineError for a line that is no JSON object, or longer than `LONGEST`."""
        assert self._process.stdout is not None
        while text := self._process.stdout.readline(LONGEST):
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                line = None
            if not isinstance(line, dict):
                raise LineError(
                    f"the program wrote a line that is no JSON object: {text[:200].decode(errors='replace').strip()!r}"
                )
            yield line

    def end(self, seconds: float) -> int | None:
        """Close its input, and wait for its end; it is killed after this time. Return its exit code, None if killed."""
        with self._lock:
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return None


def error_of(found: Mapping[str, Any]) -> pb.Error:
    """Convert the error of a line; what it leaves out is not known."""
    return pb.Error(
        code=int(found.get("code", -1)),
        name=str(found.get("name", "")),
        type=str(found.get("type", "")),
        text=str(found.get("text", "")),
        retriable=bool(found.get("retriable", False)),
    )
