"""kcat as a child process: started with options, observed by its exit and its standard error."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Sequence

from driver_runtime.reports import Reports

PROGRAM = os.environ.get("PROBE_PROGRAM", "kcat")
LIBRARIES = os.environ.get("PROBE_PROGRAM_LIBRARIES", "")
SHORT_S = 20
"""Seconds for a call that only prints something."""
IGNORED = ("% Reached end of topic", "% Auto-selecting")
"""Lines that are not reported."""


class EndedError(Exception):
    """kcat ended by itself; the text has its exit code and its last line."""


def run_to_end(*options: str) -> tuple[int, str, str]:
    """Run kcat to its end; return its exit code, output and errors."""
    done = subprocess.run(
        [PROGRAM, *options],
        capture_output=True,
        text=True,
        timeout=SHORT_S,
        check=False,
        stdin=subprocess.DEVNULL,
        env=environment(),
    )
    return done.returncode, done.stdout, done.stderr


def environment() -> dict[str, str]:
    """Return this process's environment with the folders of the shared libraries for kcat."""
    return {**os.environ, "LD_LIBRARY_PATH": LIBRARIES} if LIBRARIES else dict(os.environ)


class Command:
    """A running kcat. Threads read its lines; no method blocks except `close`."""

    def __init__(self, options: Sequence[str], reports: Reports, out: Callable[[str], None]) -> None:
        self._reports = reports
        self._last = ""
        self.process = subprocess.Popen(
            [PROGRAM, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            bufsize=1,
            env=environment(),
        )
        self._readers = [self._reader(self.process.stdout, out), self._reader(self.process.stderr, self._take_error)]

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the process; return whether it ended in time."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        for reader in self._readers:
            reader.join(1)
        return True

    def check(self) -> None:
        """Raise EndedError if the process has ended."""
        if self.process.poll() is not None and self.wait(1):
            raise EndedError(f"kcat ended with code {self.process.returncode}: {self._last}")

    def close(self, seconds: float, *, by_end_of_input: bool) -> None:
        """End the process as a user does: a producer by the end of its input, a consumer by a signal; else kill it."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        if not by_end_of_input:
            self.process.terminate()
        if not self.wait(seconds):
            self.process.kill()
            self.process.wait()
            self._reports.notice(f"kcat did not end within {seconds:.1f} s and was killed")

    def _reader(self, stream: object, on_line: Callable[[str], None]) -> threading.Thread:
        thread = threading.Thread(target=_each, args=(stream, on_line), daemon=True)
        thread.start()
        return thread

    def _take_error(self, line: str) -> None:
        if not line.startswith(IGNORED):
            self._last = line
            self._reports.notice(line)


def _each(stream: object, on_line: Callable[[str], None]) -> None:
    for line in stream:  # type: ignore[attr-defined]  # Popen's streams are optional in its type
        on_line(line.rstrip("\n"))
