"""Signals to the processes of a run: to the command itself, to drivers and to fake clusters."""

from __future__ import annotations

import signal

from tests.support.faults.round import COMMAND, ROLES, Round, Running

SET_UP_S = 6.0
"""Time after the start of the command in which it may come."""
STOPPED_S = (0.3, 6.0)
"""Shortest and longest time for which a process is stopped, in seconds."""
SECOND_S = 1.5
"""Longest time to the second of two signals."""
ENDINGS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130, signal.SIGTERM: 143}
"""Exit code of a command by the signal that it got (docs/operations.md)."""


def killed(round_: Round) -> None:
    """SIGKILL of the command, a driver or a fake cluster."""
    _signalled(round_, (signal.SIGKILL,))


def interrupted(round_: Round) -> None:
    """SIGINT of the command, a driver or a fake cluster."""
    _signalled(round_, (signal.SIGINT,))


def terminated(round_: Round) -> None:
    """SIGTERM of the command, a driver or a fake cluster."""
    _signalled(round_, (signal.SIGTERM,))


def signalled_twice(round_: Round) -> None:
    """SIGINT or SIGTERM of the command, and a second one, or SIGKILL, while it ends."""
    first = round_.rng.choice((signal.SIGINT, signal.SIGTERM))
    _signalled(round_, (first, round_.rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGKILL))), roles=(COMMAND,))


def stopped(round_: Round) -> None:
    """SIGSTOP of the command, a driver or a fake cluster, and SIGCONT after some seconds."""
    with round_.running(*round_.run()) as run:
        role, pid = _victim(round_, run)
        seconds = round_.rng.uniform(*STOPPED_S)
        if pid and run.send(signal.SIGSTOP, pid):
            run.sleep(seconds)
            run.send(signal.SIGCONT, pid)
            round_.note(f"SIGSTOP of the {role} for {seconds:.1f} s")


def _signalled(round_: Round, numbers: tuple[signal.Signals, ...], roles: tuple[str, ...] = (COMMAND, *ROLES)) -> None:
    with round_.running(*round_.run()) as run:
        role, pid = _victim(round_, run, roles)
        for number in numbers:
            if pid and run.send(number, pid):
                round_.note(f"{number.name} of the {role}")
                if role == COMMAND:
                    run.codes |= {ENDINGS[number]}
                run.sleep(round_.rng.uniform(0, SECOND_S))


def _victim(round_: Round, run: Running, roles: tuple[str, ...] = (COMMAND, *ROLES)) -> tuple[str, int]:
    """Wait for a moment of the run; return a process of a role, or 0 if the run has ended."""
    role = round_.rng.choice(roles)
    if role == COMMAND and round_.rng.random() < 0.4:
        run.sleep(round_.rng.uniform(0, SET_UP_S))
    else:
        run.wait_for("cluster" if role == COMMAND else role)
        run.sleep(round_.rng.uniform(0, round_.longest_s))
    pids = run.pids(role)
    return role, round_.rng.choice(sorted(pids)) if pids else 0
