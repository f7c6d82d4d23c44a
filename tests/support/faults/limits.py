"""Limits of open files, processes and memory, by `ulimit` and by control groups of version 1."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from tests.support.faults.round import Round

GROUPS = Path("/sys/fs/cgroup")
PROCESSES, MEMORY = GROUPS / "pids", GROUPS / "memory"
REFUSED = frozenset({0, 2, 3})
"""Exit codes of a run under a limit: it was enough, or the run ended with one line."""
OOM = -9
"""Exit code of a command that the kernel killed for want of memory."""
MIB = 1 << 20


def few_files(round_: Round) -> None:
    """A limit of open files, from far too few to just enough."""
    files = round_.rng.randint(8, 110)
    _limited(round_, f'ulimit -n {files}; exec "$@"', f"{files} open files")


def few_processes(round_: Round) -> None:
    """A limit of processes and threads of a control group."""
    tasks = round_.rng.randint(2, 60)
    group = _group(round_, PROCESSES, "pids.max", tasks)
    _limited(round_, f'echo $$ > {group}/cgroup.procs; exec "$@"', f"{tasks} processes and threads")


def little_memory(round_: Round) -> None:
    """A limit of memory: of address space per process, or of a control group, where the kernel kills."""
    if round_.rng.random() < 0.5:
        size = round_.rng.randint(150, 3000)
        _limited(round_, f'ulimit -v {size * 1024}; exec "$@"', f"{size} MiB of address space")
        return
    size = round_.rng.randint(20, 260)
    group = _group(round_, MEMORY, "memory.limit_in_bytes", size * MIB)
    _limited(round_, f'echo $$ > {group}/cgroup.procs; exec "$@"', f"{size} MiB of memory", frozenset({OOM}))


def _limited(round_: Round, script: str, name: str, more: frozenset[int] = frozenset()) -> None:
    with round_.running(*round_.run(), wrap=("sh", "-c", script, "sh")) as run:
        run.codes |= REFUSED | more
        round_.note(name)


def _group(round_: Round, place: Path, limit: str, value: int) -> Path:
    """Make a control group until the end of the round."""
    group = place / f"probe-{round_.folder.name}"
    group.mkdir()
    (group / limit).write_text(str(value))
    round_.ending.callback(_remove, group)
    return group


def _remove(group: Path) -> None:
    for _ in range(50):
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)
