"""The end of a round as plain values, which the checks read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a command."""

    name: str
    """Its subcommand and what is special about it, such as `run --resume`."""
    code: int | None
    """Exit code, negative for a signal; None if it was killed after its deadline."""
    errors: str = ""
    """Its standard error."""
    processes: Mapping[int, str] = field(default_factory=dict)
    """Processes with its mark that did not end, with their command lines."""
    codes: frozenset[int] = frozenset({0})
    """Exit codes that the documentation gives for this end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Everything that a round left: commands, files, mounts, locks, and stored trials."""

    commands: tuple[Ended, ...] = ()
    problems: tuple[str, ...] = ()
    """Findings of the kind of fault itself."""
    temporary: tuple[str, ...] = ()
    """Files of the temporary folder."""
    half_written: tuple[str, ...] = ()
    """Files of the results under the name of a writer that ended."""
    mounts: tuple[str, ...] = ()
    """Mounts below the round's folder that the round did not make."""
    locks: tuple[str, ...] = ()
    """Lock files that somebody still holds."""
    unreadable: tuple[str, ...] = ()
    """Lines of the reader about files that no fault of the round damaged."""
    outcomes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Outcomes of all stored trials by cell."""
    final: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Outcomes by cell after `--resume`, without trials of failed attempts."""
