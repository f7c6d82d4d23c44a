"""One round: a small real run in a folder of its own, whatever a kind of fault does to it, and its end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.faults.observation import Ended
from tests.support.marked_processes import MARK, PROBE, left, marked

SELECT = (
    *("--client", "sarama@1.43.2", "--client", "sarama@1.43.3", "--scenario", "disk/storage-error"),
    *("--role", "producer", "--repeat-budget", "0"),
)
"""Four cells: a client with a known fault, its mended release, and the control cells of both."""
LINGER_S = 20.0
"""Time for processes whose parent was killed; they end by themselves."""
HANG_S = 600.0
"""Time after which a command counts as hanging; the longest calm run on a busy machine took a third of it."""
POLL_S = 0.2
"""Time between two looks at all processes of the machine."""
ROLES: Mapping[str, str] = {"cluster": "/fake-cluster/", "driver": "/drivers/"}
"""Roles of child processes, by a part of their program's path."""
COMMAND = "command"
"""Role of the process that was started."""


@dataclass(slots=True)
class Running:
    """A command that runs, with the mark of its processes."""

    name: str
    process: subprocess.Popen[bytes]
    mark: str
    errors: Path
    codes: frozenset[int] = frozenset({0})
    """Exit codes that are right at its end."""

    def pids(self, role: str) -> list[int]:
        """Return the processes of a role that run now."""
        if role == COMMAND:
            return [] if self.ended else [self.process.pid]
        return [pid for pid, line in marked(self.mark).items() if ROLES[role] in line.split(" ", 1)[0]]

    @property
    def ended(self) -> bool:
        """True once the command has ended."""
        return self.process.poll() is not None

    def wait_for(self, role: str) -> list[int]:
        """Return the processes of a role as soon as there are any; none if the command ends before."""
        deadline = time.monotonic() + HANG_S
        while not self.ended and time.monotonic() < deadline:
            if found := self.pids(role):
                return found
            time.sleep(POLL_S)
        return []

    def sleep(self, seconds: float) -> None:
        """Let time pass; return at once when the command ends."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def send(self, number: signal.Signals, pid: int) -> bool:
        """Signal a process if it still carries the mark; return whether it did."""
        if pid != self.process.pid and pid not in marked(self.mark):
            return False
        if pid == self.process.pid and self.ended:
            return False
        with suppress(ProcessLookupError):
            os.kill(pid, number)
            return True
        return False


@dataclass(slots=True)
class Round:
    """The folder of a round, its random numbers, and what has ended in it."""

    folder: Path
    rng: random.Random
    select: Sequence[str] = SELECT
    environment: dict[str, str] = field(default_factory=dict)
    """Variables of every command that is started from now on."""
    notes: list[str] = field(default_factory=list)
    """The faults in words, in order."""
    problems: list[str] = field(default_factory=list)
    """Findings of the kind itself."""
    ended: list[Ended] = field(default_factory=list)
    damaged: bool = False
    """True once files of the results were damaged on purpose, so that the reader may name them."""
    blamed: dict[str, frozenset[str]] = field(default_factory=dict)
    """Outcomes that cells whose name begins so may have, since their driver was replaced; they are played anew."""
    earlier: list[Path] = field(default_factory=list)
    """Results folders before the present one."""
    mounts: list[Path] = field(default_factory=list)
    """Mounts that the round made itself."""
    ending: ExitStack = field(default_factory=ExitStack)
    """Calls that take back what the round did to the machine."""

    def __post_init__(self) -> None:
        """Make the folders."""
        for one in (self.results, self.temporary):
            one.mkdir(parents=True, exist_ok=True)

    @property
    def results(self) -> Path:
        """The results folder of its runs."""
        return self.folder / ("results" if not self.earlier else f"results-{len(self.earlier)}")

    def anew(self) -> None:
        """Begin another results folder; the one before is examined, and not resumed."""
        self.earlier.append(self.results)
        self.results.mkdir()

    @property
    def temporary(self) -> Path:
        """The temporary folder of its commands."""
        return self.folder / "temporary"

    @property
    def longest_s(self) -> float:
        """Time in which a calm run of this selection plays its trials, in seconds."""
        return 4.0 if "--watch" in self.select else 12.0

    def note(self, text: str) -> None:
        """Add a fault in words."""
        self.notes.append(text)

    def run(self) -> tuple[str, ...]:
        """Return the arguments of a new run."""
        return ("run", *self.select, "--results", str(self.results))

    @contextmanager
    def running(self, *arguments: str, wrap: Sequence[str] = ()) -> Iterator[Running]:
        """Start `probe` with a mark, in a process group of its own; wait for its end behind the block."""
        mark, where = uuid.uuid4().hex, self.folder / f"{len(list(self.folder.glob('*.errors')))}.errors"
        env = {**os.environ, "TMPDIR": str(self.temporary), **self.environment, MARK: mark}
        name = f"{arguments[0]} --resume" if "--resume" in arguments else arguments[0]
        with where.open("wb") as errors:
            argv = [*wrap, PROBE, *arguments]
            process = subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True)
        run = Running(name, process, mark, where)
        try:
            yield run
            self._finish(run)
        finally:
            for pid in marked(mark):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.kill()
            process.wait()

    def _finish(self, run: Running) -> None:
        code: int | None
        try:
            code = run.process.wait(HANG_S)
        except subprocess.TimeoutExpired:
            code = None
        processes = left(run.mark, LINGER_S) if code is not None else marked(run.mark)
        said = run.errors.read_text(errors="replace")
        self.ended.append(Ended(run.name, code, said, processes, run.codes))
