"""Which lines of a broker's log are events: a table of what they say. Pure."""

from __future__ import annotations

import re

LONGEST = 200
ECHO_US = 500_000
TOLD = re.compile(
    "|".join(
        (
            # disks
            r"Stopping serving logs in dir|are offline and|Halting|halting",
            # logs and their recovery
            r"clean shutdown file|Skipping recovery|Attempting recovery|Recovering (?:unflushed|log|segment)",
            r"Loading logs|Loaded \d+ logs|loaded in log dirs|\d+/\d+ completed in|Completed load of",
            r"Truncating (?:to|partition)",
            # a broker's life
            r"[Cc]ontrolled shutdown|Remaining partitions to move",
            r"\[(?:Kafka|Broker)Server id=\d+\] (?:shutting down|started|shut down)",
            r"\[Kafka Server \d+\], (?:start|shut)",
            r"[Ff]enced|unfenced",
            # ZooKeeper
            r"Peer state changed: \w+ - broadcast|Exception when following the leader|LEADER ELECTION TOOK|GOODBYE",
            r"Session establishment complete|Attempting reconnect except",
            r"zookeeper state changed|Session .*expired|Unable to reconnect|Client session timed out",
            # coordinators
            r"Loading (?:group|offsets|transaction)|Finished loading|(?:Resigned as|Elected as) the",
            # elections and old protocols
            r"[Uu]nclean|[Uu]ncaught exception|[Ii]nvalid api|Unknown api|ArrayIndexOutOfBounds",
        )
    )
)
DULL = re.compile(
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


def tells(line: str) -> str:
    """Return what is worth keeping of a line, or nothing. Errors always are."""
    if line.startswith(STACK) or DULL.search(line) or not (LEVELS.match(line) or TOLD.search(line)):
        return ""
    for long, short in SHORTER:
        line = long.sub(short, line)
    return line[:LONGEST]


class Echoes:
    """Knows what servers said just now: a broker may say the same a thousand times in a second."""

    def __init__(self) -> None:
        self._told: dict[tuple[int, str], int] = {}

    def is_one(self, node: int, at: int, text: str) -> bool:
        """Say whether a server tells this again, soon after it was told."""
        if at - self._told.get((node, text), at - ECHO_US) < ECHO_US:
            return True
        self._told = {key: then for key, then in self._told.items() if at - then < ECHO_US}
        self._told[node, text] = at
        return False
