"""A driver's life and death: its own process group, which ends when standard input reaches end of file."""

from __future__ import annotations

import os
import signal
import threading


def own_group() -> None:
    """Become the leader of a process group of our own, so that killing it can hit nobody else."""
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)


def die_with_parent() -> None:
    """Kill our process group as soon as standard input, a pipe that the orchestrator holds, reaches its end."""
    threading.Thread(target=_wait_for_end, name="stdin", daemon=True).start()


def _wait_for_end() -> None:
    while os.read(0, 4096):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)
