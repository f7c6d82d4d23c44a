"""The two trees of errors: what ends a command with one line and an exit code, and what breaks a trial.

`ProbeError` is for users and is caught once, in `probe.cli.app`. `HarnessError` is about the parts of the harness that
play a trial, and is caught where a trial runs, or where a cohort of trials is opened.
"""

from __future__ import annotations


class ProbeError(Exception):
    """Ends a command; the text names the thing, the reason and the way out in one line."""

    exit_code = 2


class NothingJudgedError(ProbeError):
    """No cell could be judged, or results are unreadable."""

    exit_code = 3


class ExhaustedError(ProbeError):
    """No room, memory, open files or processes are left on this machine, which is not the client's doing."""

    exit_code = 3

    def __init__(self, reason: str, way_on: str = "", run_id: str = "") -> None:
        super().__init__(f"{reason}; {way_on}" if way_on else reason)
        self.reason = reason
        """What is missing, and how to get it."""
        self.run_id = run_id
        """The run that was begun, if any."""


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


class HarnessError(Exception):
    """The harness failed under a trial, which says nothing about its client."""


class EngineError(HarnessError):
    """Brokers, or the program that plays them, did not do what was asked."""


class StragglerError(EngineError):
    """The other cells of a cohort went on without this one; it has to be run again."""


class RelayError(HarnessError):
    """The relay cannot do to a connection or a port what was asked."""


class DriverError(HarnessError):
    """A driver could not be started, or did not say what it has to say."""


class DriverLostError(DriverError):
    """The driver process ended under the trial; it is run again alone."""


class ProvisionError(ProbeError):
    """A client version cannot be had here; the text is one line that names it, the reason and the way out."""
