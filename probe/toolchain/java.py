"""Java: its program and its compiler. Standard library only."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from functools import cache as remember
from pathlib import Path

from probe.toolchain.commands import run_command
from probe.toolchain.tools import BuildError, ToolError, find_tool

OLDEST = 17
"""Lowest supported version of Java, and the level that drivers are compiled to."""
LIMIT_S = 300
VERSION_S = 30


@remember
def java() -> Path:
    """Return the program `java`, of version 17 or newer. Raises ToolError if there is none."""
    found = find_tool("java")
    done = _run([str(found), "-version"], VERSION_S)
    match = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    version = int(match[1]) if match else 0
    if version < OLDEST:
        raise ToolError(f"{found} is Java {version or '?'}; {OLDEST} or newer is needed: install one or set JAVA_HOME")
    return found


def compile_java(
    sources: Sequence[Path], out: Path, *, classpath: Sequence[Path], ecj: Callable[[], Path], strict: bool = True
) -> None:
    """Compile sources into the folder `out`; ToolError with the compiler's first complaint.

    `strict` makes every lint of javac an error. Without javac, `ecj` returns the jar of Eclipse's compiler. It has
    other lints, which are not used.
    """
    common = ["-d", str(out), "-encoding", "UTF-8", "-cp", ":".join(map(str, classpath))]
    try:
        lint = ["-Xlint:all", "-Werror"] if strict else ["-nowarn"]
        command = [str(find_tool("javac")), "--release", str(OLDEST), "-proc:none", *lint]
    except ToolError:
        command = [str(java()), "-jar", str(ecj()), f"-{OLDEST}", "-proc:none", "-nowarn"]
    done = _run([*command, *common, *map(str, sources)], LIMIT_S)
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if "error" in line or "ERROR" in line]
        raise BuildError(f"Java sources did not compile: {(lines or ['no reason given'])[0].strip()}")


def _run(argv: Sequence[str], limit_s: float) -> subprocess.CompletedProcess[str]:
    late = ToolError(f"{argv[0]} took longer than {limit_s:.0f} s; try again on a quieter machine")
    return run_command(argv, limit_s, late)
