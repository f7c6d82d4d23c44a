"""Decisions about the end of a round: each check returns its findings, one line each. Pure."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping

from tests.support.faults.observation import Ended, Observed

Outcomes = Mapping[str, frozenset[str]]
WITHOUT_OUTCOME = frozenset({"broken", "not_run"})
"""Outcomes that say nothing of a client: the harness failed, or the client could not be obtained."""
UNWANTED = ("Traceback (most recent", "Exception ignored", "never retrieved", "never awaited", "Fatal Python error")
"""Texts with which Python, and not the program, reports a failure."""
WAYS_OUT = (";", "`", "--")
"""Signs of a way out in a message: house style puts it behind a semicolon, as a command or as an option."""
MAX_MESSAGE = 600
"""Longest message, in characters."""
BY_SIGNAL = frozenset({-signal.SIGKILL, 130, 143})
"""Exit codes of commands that a signal ended: their message needs no other way out."""


def hangs(seen: Observed, _: Outcomes) -> list[str]:
    """Find commands that did not end by their deadline."""
    return [f"{one.name}: did not end" for one in seen.commands if one.code is None]


def codes(seen: Observed, _: Outcomes) -> list[str]:
    """Find exit codes that the documentation does not give for what happened."""
    return [
        f"{one.name}: exit code {one.code}, not {' or '.join(map(str, sorted(one.codes)))}: {_last(one)}"
        for one in seen.commands
        if one.code is not None and one.code not in one.codes
    ]


def messages(seen: Observed, _: Outcomes) -> list[str]:
    """Find failures that are not reported in one line with a way out."""
    found = []
    for one in seen.commands:
        found += [f"{one.name}: {text!r} in its messages" for text in UNWANTED if text in one.errors]
        if one.code and one.code > 0:
            found += [f"{one.name}: {problem}" for problem in _message_problems(one)]
    return found


def leftovers(seen: Observed, _: Outcomes) -> list[str]:
    """Find processes, files, mounts and locks that outlived the commands."""
    found = [f"{one.name}: process left: {line[:120]}" for one in seen.commands for line in one.processes.values()]
    kinds = {
        "temporary file": seen.temporary,
        "half-written file": seen.half_written,
        "mount": seen.mounts,
        "lock": seen.locks,
    }
    return found + [f"{kind} left: {name}" for kind, names in kinds.items() for name in names]


def reading(seen: Observed, _: Outcomes) -> list[str]:
    """Find files that no fault damaged, and that cannot be read."""
    return [f"cannot be read: {line}" for line in seen.unreadable]


def outcomes(seen: Observed, calm: Outcomes) -> list[str]:
    """Find outcomes that calm trials of a cell never had; but those of `WITHOUT_OUTCOME`."""
    return [
        f"{cell}: {', '.join(sorted(odd))}, calm trials had {', '.join(sorted(calm.get(cell, ())))}"
        for cell, had in sorted(seen.outcomes.items())
        if (odd := had - calm.get(cell, frozenset()) - WITHOUT_OUTCOME)
    ]


def completion(seen: Observed, calm: Outcomes) -> list[str]:
    """Find cells that `--resume` did not bring to an outcome of calm trials."""
    return [
        f"{cell}: {', '.join(sorted(seen.final.get(cell, ()))) or 'no trial'} after --resume"
        for cell, known in sorted(calm.items())
        if not seen.final.get(cell, frozenset()) & known
    ]


Check = Callable[[Observed, Outcomes], list[str]]
CHECKS: tuple[Check, ...] = (hangs, codes, messages, leftovers, reading, outcomes, completion)


def findings(seen: Observed, calm: Outcomes) -> list[str]:
    """Return what is wrong at the end of a round, one line each."""
    return list(seen.problems) + [line for check in CHECKS for line in check(seen, calm)]


def _message_problems(one: Ended) -> list[str]:
    last = _last(one)
    if not last.startswith("probe: "):
        return [f"its last line is no message: {last[:200]!r}"]
    found = [f"a message of {len(last)} characters"] if len(last) > MAX_MESSAGE else []
    if one.code not in BY_SIGNAL and not any(sign in last for sign in WAYS_OUT):
        found.append(f"no way out: {last[:200]!r}")
    return found


def _last(one: Ended) -> str:
    lines = one.errors.strip().splitlines()
    return lines[-1] if lines else ""
