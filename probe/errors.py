"""Define the two trees of errors: those that end a command, and those that break a trial.

`ProbeError` is for users and is caught once, in `probe.cli.app`. `HarnessError` is about the parts of the harness that
run a trial. It is caught where a trial runs and where a cohort of trials is opened.
"""

from __future__ import annotations

import errno
import os

REFUSED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO})
"""Error numbers with which the system refuses to write."""


def reason_of(error: Exception) -> str:
    """Return the reason in one line. It is the system's own text where the system refused to write."""
    if isinstance(error, OSError) and error.errno in REFUSED:
        return os.strerror(error.errno)
    return " ".join(str(error).split())


class ProbeError(Exception):
    """An error that ends a command. Its text names the thing, the reason and the way out in one line."""

    exit_code = 2


class NothingToRunError(ProbeError):
    """Selectors that are good in themselves leave no cell: a role needs another release line, for instance."""


class NothingJudgedError(ProbeError):
    """No cell could be judged, or the results are unreadable."""

    exit_code = 3


class ExhaustedError(ProbeError):
    """Disk space, memory, open files or processes of this machine are exhausted. The client is not the cause."""

    exit_code = 3

    def __init__(self, reason: str, way_on: str = "", run_id: str = "") -> None:
        super().__init__(f"{reason}; {way_on}" if way_on else reason)
        self.reason = reason
        """The thing that is missing, and the way to get it."""
        self.run_id = run_id
        """Id of the run that was started, if any."""


class GateError(ProbeError):
    """A gate failed."""

    exit_code = 1


class EndedError(BaseException):
    """A signal ended the command outside of a run.

    It is not an `Exception`, so that code around Spark does not catch it as an error of its own.
    """

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.exit_code = 128 + signal


class InterruptedRunError(ProbeError):
    """A signal ended the run. What was judged is kept."""

    def __init__(self, text: str, signal: int, run_id: str = "") -> None:
        super().__init__(text)
        self.exit_code = 128 + signal
        self.run_id = run_id
        """Id of the run that was started, if any."""


class HarnessError(Exception):
    """The harness failed during a trial. The trial says nothing about its client."""


class EngineError(HarnessError):
    """The brokers, or the process that plays them, did not do what was requested."""


class StragglerError(EngineError):
    """The other members of the cohort continued without this cell. The cell has to be run again."""


class CrowdedError(HarnessError):
    """The cohort is too large for its brokers. Its trials are played again, in smaller cohorts."""


class YoungError(HarnessError):
    """The client did not serve again after the harmless election. Its trial is played again without one."""


class RelayError(HarnessError):
    """The relay cannot apply an operation to a connection or a port."""


class DriverError(HarnessError):
    """A driver could not be started, or did not emit an event that it must emit."""


class SilentDriverError(DriverError):
    """The driver process ran, and did not say Hello in time, or did nothing with an instance."""


class FalseReportError(DriverError):
    """The driver reported what its client cannot have done."""


class DriverLostError(DriverError):
    """The driver process ended during the trial. The trial is run again on its own."""


class CatalogueError(ProbeError):
    """A name in the catalogue or on the command line that does not exist, or a broken file; the text is one line."""


class ProvisionError(ProbeError):
    """A client version is not available here. The text names it, the reason and the way out in one line.

    Its cause is a BuildError (probe/toolchain/tools.py) where the version is here, and the driver does not compile.
    """
