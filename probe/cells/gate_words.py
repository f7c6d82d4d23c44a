"""The words of `--fail-on`. They load nothing else, since every command has options. Pure."""

from __future__ import annotations

from enum import StrEnum


class Gate(StrEnum):
    """A reason to end with exit code 1: a harm or a graver one (docs/harm.md), or a finding."""

    STOPS = "stops"
    """Work stops, or records are lost or repeated against a promise."""
    STALLS = "stalls"
    """Also what goes on late."""
    BURDENS = "burdens"
    """Also what floods the brokers."""
    ERRORS = "errors"
    """Also errors of the application, where a good client shows none."""
    LOSES = "loses"
    """Records are lost."""
    FAILS = "fails"
    """Any outcome that does not conform."""
    SUSPECTED = "suspected"
    UNKNOWN = "unknown"


GATES = tuple(Gate)
DEFAULT = Gate.STOPS
