"""Which lines of a broker's log are events: tables of what they say. Pure."""

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
"""What a line says that is told: plain text, since brokers say much, and an expression of all that took five times as
long to look for."""
REPORTED_LEVELS = (
    ("Loaded ", re.compile(r"Loaded \d+ logs")),
    (" completed in", re.compile(r"\d+/\d+ completed in")),
    ("Server id=", re.compile(r"\[(?:Kafka|Broker)Server id=\d+\] (?:shutting down|started|shut down)")),
    ("[Kafka Server ", re.compile(r"\[Kafka Server \d+\], (?:start|shut)")),
    ("Peer state changed", re.compile(r"Peer state changed: \w+ - broadcast")),
    ("expired", re.compile(r"Session .*expired")),
)
"""What is told only if the whole is like this; the text before it is a part of that."""
IGNORED = re.compile(
    r"Config values|has no effect|Error while changing replica dir|Replayed BrokerRegistration"
    r"|Truncating to 0|TruncationState\(offset=0|unclean\.leader\.election\.enable"
)
"""The harness says itself where replicas are to lie, which brokers report as an error; the rest is bookkeeping."""
SHORTER = (
    # a log by its folder's name, so that what comes after it is kept: how many of how many are loaded
    (re.compile(r"(?:Unified)?Log\(dir=\S*?([^/\s]+),(?:[^()]|\([^)]*\))*\)"), r"\1"),
)
STACK = "\tat "
"""Where an exception came from: most lines of a broker in trouble, and never told."""
LEVELS = re.compile(r"^(?:ERROR|FATAL)\b")


def is_event(line: str) -> str:
    """Return what is worth keeping of a line, or nothing. Errors always are."""
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
    """Knows what servers said just now: a broker may say the same a thousand times in a second."""

    def __init__(self) -> None:
        self._told: dict[tuple[int, str], int] = {}

    def is_one(self, node: int, at: int, text: str) -> bool:
        """Say whether a server tells this again, soon after it was told."""
        if at - self._told.get((node, text), at - DUPLICATE_US) < DUPLICATE_US:
            return True
        self._told = {key: then for key, then in self._told.items() if at - then < DUPLICATE_US}
        self._told[node, text] = at
        return False
