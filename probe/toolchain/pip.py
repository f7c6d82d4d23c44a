"""pip in the configuration of this machine: the only access to the Python package registry."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path

from probe.errors import ProvisionError
from probe.toolchain.commands import run_command
from probe.toolchain.tools import ToolError, find_tool

DEADLINE_S = 180
ONLY_WHEELS = ("--only-binary", ":all:")
"""A source distribution would run its own build code, and confluent-kafka's would need a C library."""
QUIET = ("--disable-pip-version-check", "--no-input", "--retries", "2")


def command() -> tuple[str, ...]:
    """Return the command of pip: this interpreter's own, else uv's for it. ProvisionError if there is neither."""
    if importlib.util.find_spec("pip"):
        return (sys.executable, "-m", "pip")
    next_to_python = shutil.which("uv", path=str(Path(sys.executable).parent))
    try:
        uv = os.environ.get("UV") or next_to_python or str(find_tool("uv"))
    except ToolError:
        raise ProvisionError("neither pip nor uv is on this machine; install one of them") from None
    return (uv, "tool", "run", "--quiet", "--python", sys.executable, "pip")


def versions(name: str, python: str = "") -> list[str]:
    """Return the versions that have a wheel, newest first. ProvisionError if the registry does not answer.

    For this interpreter, else for the CPython named as in wheels' tags (`38`), on this machine.
    """
    listed = _run("index", "versions", *ONLY_WHEELS, *_other(python), name)
    found = re.search(r"^Available versions: (.*)$", listed.stdout, re.MULTILINE)
    if listed.returncode or not found:
        raise ProvisionError(f"{name}: {_reason(listed.stderr, 'this package')}")
    return found[1].split(", ")


def download(requirements: Sequence[str], folder: Path, python: str = "") -> list[Path]:
    """Download wheels of `name==version` requirements, without dependencies. ProvisionError if that fails.

    Requirements may be options of pip, too, such as a file with digests. For this interpreter, else for the CPython
    named as in wheels' tags.
    """
    done = _run("download", "--no-deps", *ONLY_WHEELS, *_other(python), "--dest", str(folder), *requirements)
    if done.returncode:
        wanted = ", ".join(requirements)
        raise ProvisionError(f"{wanted}: {_reason(done.stderr, 'this version')}")
    return sorted(folder.glob("*.whl"))


def unpack(wheel: Path, folder: Path) -> None:
    """Unpack a wheel with the modes of its files, so that programs in it stay executable."""
    with zipfile.ZipFile(wheel) as archive:
        for item in archive.infolist():
            place = Path(archive.extract(item, folder))
            if mode := item.external_attr >> 16 & 0o777:
                place.chmod(mode)


def _other(python: str) -> list[str]:
    """Return pip's options for another CPython on this machine; pip accepts older glibc and macOS tags as well."""
    if not python:
        return []
    system, _, machine = sysconfig.get_platform().partition("-")
    linux = [f"{tag}_{machine}" for tag in ("manylinux_2_28", "manylinux_2_17", "manylinux2014")]
    tags = linux if system == "linux" else [re.sub(r"[.-]", "_", sysconfig.get_platform())]
    options = [option for tag in tags for option in ("--platform", tag)]
    return ["--implementation", "cp", "--python-version", python, *options]


def _run(verb: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    late = ProvisionError(f"the package registry did not answer within {DEADLINE_S} s; try again later")
    return run_command([*command(), verb, *arguments, *QUIET], DEADLINE_S, late, env=_environment())


def _environment() -> dict[str, str]:
    """Return the environment for pip, with the registry that is configured for uv alone."""
    index = os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("UV_INDEX_URL")
    extra = {"PIP_INDEX_URL": index} if index and "PIP_INDEX_URL" not in os.environ else {}
    return {**os.environ, **extra}


def _reason(stderr: str, what: str) -> str:
    if re.search(r"from versions: (?!none)", stderr):
        return f"the package registry does not have {what} as a wheel for this Python and machine; choose another"
    if "Retrying" in stderr or "from versions: none" in stderr or "No matching distribution" in stderr:
        return (
            f"the package registry cannot be reached, or has no wheel of {what} for this Python and machine; "
            "check the network and pip's configuration, or use a filled cache"
        )
    said = complaint(stderr)[:200].rstrip(".")
    return f"pip failed: {said}; try again, or check the registry that pip is configured for"


def complaint(stderr: str) -> str:
    """Return the line in which pip names the failure: notes and hints to its own options follow it."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    for mark in ("\N{MULTIPLICATION SIGN} ", "ERROR: ", "error: "):
        if named := [line.removeprefix(mark) for line in lines if line.startswith(mark)]:
            return named[-1]
    said = [line for line in lines if not line.startswith(("hint: ", "note: ", "[notice] ", "WARNING: "))]
    return said[-1] if said else "it printed no reason"
