"""The speed of a build of Python. Standard library only, for set-up."""

from __future__ import annotations

from probe.toolchain.setup_calls import SetupError, call

SPEED = """
import ctypes, ssl, sqlite3, time, zlib
from dataclasses import dataclass
@dataclass(frozen=True, slots=True)
class Event:
    at: int
    kind: str
    text: str = ''
def work():
    began, seen = time.process_time(), {}
    for number in range(20_000):
        event = Event(at=number, kind='sent', text=f'{number}')
        seen[number % 99] = event, int.from_bytes(event.text.encode()[:4], 'big')
    return time.process_time() - began
print("seconds", min(work() for _ in range(9)))
"""


def seconds_of(python: str) -> float:
    """Return the seconds that a build of Python needs for the benchmark; infinite if it lacks a module."""
    try:
        output = call([python, "-I", "-c", SPEED], "")
    except SetupError:
        return float("inf")
    return float(output.split()[-1])
