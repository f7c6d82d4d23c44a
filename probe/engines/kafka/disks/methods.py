"""The methods to break a disk: implementations of `probe.engines.kafka.ports.DiskWay`."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from probe.engines.kafka.disks.control import Control, compiler_missing, library
from probe.engines.kafka.ports import BrokerProcess
from probe.errors import EngineError
from probe.toolchain.commands import run_command
from probe.toolchain.tools import ToolError, find_tool

COMMAND_S = 20.0
GONE = ".gone"
CONTROL = "broken-disk"


class DiskError(EngineError):
    """A disk cannot be broken or repaired by the chosen method; the text has the reason and the way out."""


class Shim:
    """Faults by a library in the broker's process."""

    name = "eio"
    anywhere = True
    properties: Mapping[str, str] = MappingProxyType({})
    """None are needed: the next write meets the fault."""

    def __init__(self) -> None:
        self._controls: dict[Path, Control] = {}

    def impossible(self) -> str:
        """Return why the library cannot be built; empty if it can."""
        return compiler_missing()

    def environment(self, folder: Path) -> Mapping[str, str]:
        """Return variables that load the library before other preloaded ones and name its control file. ToolError."""
        control = self._controls.get(folder)
        if control is None:
            control = self._controls[folder] = Control(folder / CONTROL)
        preloaded = f"{library()} {os.environ.get('LD_PRELOAD', '')}".strip()
        return {"LD_PRELOAD": preloaded, "BROKEN_DISK": str(control.path)}

    async def break_dir(self, broker: BrokerProcess, log_dir: Path) -> None:
        """Let all calls that change something there fail with EIO."""
        self._control(broker).kill(log_dir)

    async def fill_dir(self, broker: BrokerProcess, log_dir: Path) -> None:
        """Let all calls that take space there fail with ENOSPC."""
        self._control(broker).fill(log_dir)

    async def slow_reads(self, broker: BrokerProcess, path: Path, delay_ms: int) -> None:
        """Delay all calls that read there."""
        self._control(broker).slow(path, delay_ms)

    async def hold_writes(self, broker: BrokerProcess, path: Path) -> None:
        """Let all calls that write there wait."""
        self._control(broker).hold(path)

    async def mend_dir(self, broker: BrokerProcess, log_dir: Path) -> None:
        """Remove the rules at and below the log dir."""
        self._control(broker).clear(log_dir)

    def hits(self, broker: BrokerProcess) -> int:
        """Return the number of calls that met a fault that is on."""
        return self._control(broker).hits

    def _control(self, broker: BrokerProcess) -> Control:
        if broker.folder not in self._controls:
            raise DiskError(f"{broker.name} was started without the library that breaks its disks")
        return self._controls[broker.folder]


class _DeadOnly:
    """Base of methods that can only make a log dir fail as a whole."""

    name = ""
    properties: Mapping[str, str] = MappingProxyType({"replica.high.watermark.checkpoint.interval.ms": "500"})
    """Open files can still be written to, so the checkpoint meets the fault; its default interval is 5 s."""

    def environment(self, _: Path) -> Mapping[str, str]:
        """Return no variables."""
        return {}

    async def fill_dir(self, broker: BrokerProcess, log_dir: Path) -> None:
        """Raise DiskError: not supported."""
        raise DiskError(f"{log_dir} of {broker.name} cannot be full by `{self.name}`: install a C compiler")

    async def slow_reads(self, broker: BrokerProcess, path: Path, delay_ms: int) -> None:
        """Raise DiskError: not supported."""
        raise DiskError(f"{path} of {broker.name} cannot be {delay_ms} ms slow by `{self.name}`: install a C compiler")

    async def hold_writes(self, broker: BrokerProcess, path: Path) -> None:
        """Raise DiskError: not supported."""
        raise DiskError(f"writes to {path} of {broker.name} cannot wait by `{self.name}`: install a C compiler")


class Rename(_DeadOnly):
    """Faults by renaming the log dir and putting a file in its place."""

    name = "rename"
    anywhere = True

    def impossible(self) -> str:
        """Return nothing: it works everywhere."""
        return ""

    async def break_dir(self, _: BrokerProcess, log_dir: Path) -> None:
        """Rename the log dir. DiskError or OSError."""
        _move_away(log_dir)

    async def mend_dir(self, _: BrokerProcess, log_dir: Path) -> None:
        """Give the log dir its name back. DiskError or OSError."""
        _move_back(log_dir)


def _moved_aside(log_dir: Path) -> Path:
    return log_dir.with_name(log_dir.name + GONE)


def _move_away(log_dir: Path) -> None:
    if not _moved_aside(log_dir).exists():
        log_dir.rename(_moved_aside(log_dir))
        log_dir.touch()


def _move_back(log_dir: Path) -> None:
    if _moved_aside(log_dir).exists():
        log_dir.unlink(missing_ok=True)
        _moved_aside(log_dir).rename(log_dir)


class Commands(_DeadOnly):
    """Faults by commands that need root."""

    anywhere = False

    def __init__(self, name: str, broken: Sequence[Sequence[str]], mended: Sequence[Sequence[str]]) -> None:
        self.name, self._broken, self._mended = name, broken, mended
        self._dirs: set[Path] = set()

    def impossible(self) -> str:
        """Return what is missing; empty if nothing is."""
        if os.geteuid() != 0:
            return "this is not root"
        try:
            for command in self._broken:
                find_tool(command[0])
        except ToolError as error:
            return str(error)
        return ""

    async def break_dir(self, _: BrokerProcess, log_dir: Path) -> None:
        """Run the commands that break the log dir. DiskError."""
        if log_dir not in self._dirs:
            self._dirs.add(log_dir)
            await asyncio.to_thread(_run, self._broken, log_dir)

    async def mend_dir(self, _: BrokerProcess, log_dir: Path) -> None:
        """Run the commands that repair the log dir. DiskError."""
        if log_dir in self._dirs:
            await asyncio.to_thread(_run, self._mended, log_dir)
            self._dirs.discard(log_dir)


def _run(commands: Sequence[Sequence[str]], log_dir: Path) -> None:
    for command in commands:
        argv = [str(log_dir) if part == "DIR" else part for part in command]
        try:
            done = run_command(argv, COMMAND_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DiskError(f"{' '.join(argv)}: {error}") from None
        if done.returncode:
            raise DiskError(f"{' '.join(argv)}: {done.stderr.strip() or done.returncode}")
