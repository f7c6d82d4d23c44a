"""Choice of log lines of servers that become events, by tables of their text. Pure."""

from __future__ import annotations

import re

MAX_LINE = 200
DUPLICATE_US = 500_000
REPORTED = (
    # disks
    *("Stopping serving logs in dir", "are offline and", "Halting", "halting"),
    # logs and their recovery
    *("clean shutdown file", "Skipping recovery", "Attempting recovery", "loaded in log dirs", "Completed load of"),
    *("Recovering unflushed", "Recovering log", "Recovering segment", "Loading logs"),
    *("Truncating to", "Truncating partition"),
    # a broker's life
    *("Controlled shutdown", "controlled shutdown", "Remaining partitions to move", "Fenced", "fenced"),
    # ZooKeeper
    *("Exception when following the leader", "LEADER ELECTION TOOK", "GOODBYE", "Attempting reconnect except"),
    *("Session establishment complete", "Unable to reconnect", "Client session timed out", "zookeeper state changed"),
    # coordinators
    *("Loading group", "Loading offsets", "Loading transaction", "Finished loading"),
    *("Resigned as the", "Elected as the"),
    # elections and old protocols
    *("Unclean", "unclean", "Uncaught exception", "uncaught exception"),
    *("Invalid api", "invalid api", "Unknown api", "ArrayIndexOutOfBounds"),
)
"""Texts of reported lines. Plain texts, as a regular expression of all of them is much slower on long logs."""
REPORTED_LEVELS = (
    ("Loaded ", re.compile(r"Loaded \d+ logs")),
    (" completed in", re.compile(r"\d+/\d+ completed in")),
    ("Server id=", re.compile(r"\[(?:Kafka|Broker)Server id=\d+\] (?:shutting down|started|shut down)")),
    ("[Kafka Server ", re.compile(r"\[Kafka Server \d+\], (?:start|shut)")),
    ("Peer state changed", re.compile(r"Peer state changed: \w+ - broadcast")),
    ("expired", re.compile(r"Session .*expired")),
)
"""Expressions of reported lines, with a plain text that every match contains."""
IGNORED = re.compile(
    r"Config values|has no effect|Error while changing replica dir|Replayed BrokerRegistration"
    r"|Truncating to 0|TruncationState\(offset=0|unclean\.leader\.election\.enable"
)
"""Lines that are never reported: answers to the harness's own choice of log dirs, and bookkeeping."""
SHORTER = (
    # a log becomes its folder's name, so that the end of the line is kept: the progress of loading
    (re.compile(r"(?:Unified)?Log\(dir=\S*?([^/\s]+),(?:[^()]|\([^)]*\))*\)"), r"\1"),
)
STACK = "\tat "
"""Start of a line of a stack trace, which is never reported."""
LEVELS = re.compile(r"^(?:ERROR|FATAL)\b")


def is_event(line: str) -> str:
    """Return the text of an event for a line, shortened; empty if it is none. Errors are always events."""
    if line.startswith(STACK) or not (LEVELS.match(line) or _is_reported(line)) or IGNORED.search(line):
        return ""
    for long, short in SHORTER:
        line = long.sub(short, line)
    return line[:MAX_LINE]


def _is_reported(line: str) -> bool:
    if any(text in line for text in REPORTED):
        return True
    return any(text in line and whole.search(line) for text, whole in REPORTED_LEVELS)


class LineDeduplicator:
    """Recognizes repeated lines: a broker may log the same line a thousand times per second."""

    def __init__(self) -> None:
        self._reported: dict[tuple[int, str], int] = {}

    def is_one(self, node: int, at: int, text: str) -> bool:
        """Return whether a server's line was reported less than `DUPLICATE_US` before `at` (microseconds)."""
        if at - self._reported.get((node, text), at - DUPLICATE_US) < DUPLICATE_US:
            return True
        self._reported = {key: then for key, then in self._reported.items() if at - then < DUPLICATE_US}
        self._reported[node, text] = at
        return False
