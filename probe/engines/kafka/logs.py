"""Which lines of a broker's log are events: a table of what they say. Pure."""

from __future__ import annotations

import re

LONGEST = 200
TOLD = re.compile(
    "|".join(
        (
            r"Stopping serving logs in dir",
            r"is going offline|are offline|no longer fetching",
            r"Error while (?:writing|appending|flushing|reading)",
            r"Halting|halting|Shutdown broker because",
            r"Found clean shutdown file|Skipping recovery|no clean shutdown|unflushed|Attempting recovery",
            r"Recovering (?:unflushed|log|segment)|Loading log|Completed load of|Loading logs|Logs loading complete",
            r"[Cc]ontrolled shutdown",
            r"Starting controlled shutdown|Remaining partitions to move",
            r"shut down completed|shutting down|Shutting down",
            r"started \(kafka\.server|Kafka Server started|\bstarted$",
            r"Session expired|session has expired|zookeeper state changed|Unable to reconnect|fenced|Fenced|Unfenced",
            r"Truncating|Truncated|truncat",
            r"Loading (?:group|offsets|transaction)|Finished loading|Scheduling (?:un)?loading|Resigned as|Elected as",
            r"unclean|Unclean",
            r"Processor got uncaught exception|Uncaught exception|Invalid api|Unknown api",
        )
    )
)
DULL = re.compile(r"^(?:INFO|DEBUG) (?:.*Config values:|\[SocketServer|\[ThrottledChannelReaper|\[ExpirationReaper)")
LEVELS = re.compile(r"^(?:ERROR|FATAL)\b")


def tells(line: str) -> str:
    """Return what is worth keeping of a line, or nothing. Errors always are."""
    if LEVELS.match(line) or (TOLD.search(line) and not DULL.match(line)):
        return line[:LONGEST]
    return ""
