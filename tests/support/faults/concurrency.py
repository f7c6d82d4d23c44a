"""Two or three runs that share a results folder or a cache, of which one is killed."""

from __future__ import annotations

import signal
from contextlib import ExitStack

from tests.support.faults.round import COMMAND, Round

LOCKED = frozenset({0, 2})
"""Exit codes of a run in a folder where another one runs: it came after it, or it was refused."""
WAIT_S = "200"


def shared(round_: Round) -> None:
    """Runs of one folder; some wait for the lock. One of them is killed."""
    count = round_.rng.choice((2, 2, 3))
    with ExitStack() as stack:
        runs = []
        for _ in range(count):
            more = ("--wait", WAIT_S) if round_.rng.random() < 0.5 else ()
            run = stack.enter_context(round_.running(*round_.run(), *more))
            run.codes |= LOCKED
            runs.append(run)
            run.sleep(round_.rng.choice((0.0, round_.rng.uniform(0, 6))))
        round_.rng.choice(runs).wait_for("cluster")
        runs[0].sleep(round_.rng.uniform(0, round_.longest_s))
        victim = round_.rng.randrange(count)
        if runs[victim].pids(COMMAND) and runs[victim].send(signal.SIGKILL, runs[victim].process.pid):
            runs[victim].codes |= {-signal.SIGKILL}
            round_.note(f"SIGKILL of run {victim + 1} of {count}")
