"""The process group of a driver, which ends with the orchestrator: when standard input reaches its end."""

from __future__ import annotations

import os
import signal
import threading


def lead_process_group() -> None:
    """Become the leader of a new process group, so that a signal to the group reaches no other process."""
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)


def exit_with_parent() -> None:
    """Kill the process group as soon as standard input, a pipe from the orchestrator, reaches its end."""
    threading.Thread(target=_wait_for_end, name="stdin", daemon=True).start()


def _wait_for_end() -> None:
    while os.read(0, 4096):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)
