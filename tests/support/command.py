"""A command of the probe in this process: what a worker has loaded for one test is there for the next."""

from __future__ import annotations

import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO

import pytest

from probe.cli import app


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a command, as `subprocess.CompletedProcess` says it."""

    returncode: int
    stdout: str
    stderr: str


def command(*arguments: str) -> Done:
    """Run `probe` with these arguments. Signals and limits of this process stay as they are."""
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["probe", *arguments])
        patch.setattr(app, "handle_signals", lambda: None)
        patch.setattr(app, "raise_file_limit", lambda: None)
        with pytest.raises(SystemExit) as ended:
            app.main()
    return Done(int(ended.value.code or 0), out.getvalue(), err.getvalue())
