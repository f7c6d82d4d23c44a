"""Failures that a user can do something about: one line, and the exit code of DESIGN 8."""

from __future__ import annotations


class ProbeError(Exception):
    """Ends a command; the text names the thing, the reason and the way out."""

    exit_code = 2


class NothingJudgedError(ProbeError):
    """No cell could be judged, or results are unreadable."""

    exit_code = 3


class GateError(ProbeError):
    """A gate failed."""

    exit_code = 1


class EndedError(BaseException):
    """A signal ends the command outside of a run. No `Exception`, which whoever talks to Spark may hold for his own."""

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.exit_code = 128 + signal


class InterruptedRunError(ProbeError):
    """A signal ended the run; what was judged is kept."""

    def __init__(self, text: str, signal: int, run_id: str = "") -> None:
        super().__init__(text)
        self.exit_code = 128 + signal
        self.run_id = run_id
        """The run that was begun, if any."""
