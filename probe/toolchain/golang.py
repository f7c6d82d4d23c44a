"""Builds of Go programs of go_shim, kept in the cache. Standard library only."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache as remember
from pathlib import Path

from probe.files.atomic_writes import filling
from probe.files.locks import take
from probe.files.sources import source_folder
from probe.toolchain.commands import run_command
from probe.toolchain.tools import BuildError, ToolError, find_tool

SHIM = source_folder("go_shim")
LIMIT_S = 900.0
"""Longest build, and longest wait for another process's build; an empty build cache makes builds slow."""
PROGRAM = "program"


def go(*arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the go command in go_shim and return its result, also of a failure. ToolError without Go, or after `LIMIT_S`.

    The installed toolchain is tried first. If it is older than a module requires, go may download a newer one.
    """
    done = _go(arguments, {"GOTOOLCHAIN": "local", **(env or {})})
    if done.returncode and "requires go >= " in done.stderr:
        done = _go(arguments, {"GOTOOLCHAIN": "auto", **(env or {})})
    return done


def _go(arguments: Sequence[str], env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    late = ToolError(f"go {arguments[0]} took longer than {LIMIT_S:.0f} s; try again on a quieter machine")
    argv = [str(find_tool("go")), *arguments]
    return run_command(argv, LIMIT_S, late, cwd=SHIM, env={**os.environ, "GOWORK": "off", **env})


@remember
def go_version() -> str:
    """Return the toolchain's version, such as `go1.26.8`."""
    done = go("env", "GOVERSION")
    if done.returncode:
        raise ToolError(f"go env failed: {complaint(done)}; reinstall Go")
    return done.stdout.strip()


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line of a failed command's output."""
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return lines[-1] if lines else f"exit code {done.returncode}"


def build(
    package: str,
    out: Path,
    *,
    modfile: Path | None = None,
    tags: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
    cgo: bool = False,
) -> None:
    """Build a package of go_shim (`./cmd/fake-cluster`) into the file `out`; ToolError with go's own last line.

    `modfile` replaces go.mod and is completed by go; `variables` are set by the linker.
    `cgo` is for libraries that are C inside, and needs a C compiler. Else it is off: with it, old sarama versions
    compile a C library, and binaries depend on the machine.
    """
    if cgo:
        find_tool("gcc")
    link = " ".join(["-s -w", *(f"-X {name}={value}" for name, value in (variables or {}).items())])
    flags = ["-trimpath", "-buildvcs=false", f"-ldflags={link}", f"-o={out}"]
    if modfile is not None:
        flags += ["-mod=mod", f"-modfile={modfile}"]
    if tags:
        flags.append(f"-tags={','.join(tags)}")
    done = go("build", *flags, package, env={"CGO_ENABLED": "1" if cgo else "0"})
    if done.returncode:
        raise BuildError(f"{package} did not build: {complaint(done)}")


def source_hash(*folders: str, salt: str = "") -> str:
    """Return 16 hex digits of a hash over the Go sources below folders of go_shim (without tests), and the salt."""
    digest = hashlib.sha256(salt.encode())
    for folder in folders:
        for path in sorted((SHIM / folder).rglob("*.go")):
            if not path.name.endswith("_test.go"):
                digest.update(f"\n{path.relative_to(SHIM)}\n".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def building(folder: Path) -> Iterator[Path | None]:
    """Yield an empty folder that becomes `folder` if the block succeeds; None if `folder` exists already.

    Threads and processes that need the same folder wait for each other, at most `LIMIT_S`.
    """
    if folder.exists():
        yield None
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.with_name(f".{folder.name}.lock")):
        if folder.exists():
            yield None
            return
        with filling(folder) as scratch:
            yield scratch


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        if not take(file.fileno(), wait_s=LIMIT_S):
            raise ToolError(f"{path} is held by another build; end that one, or try again")
        yield


def fake_cluster(cache: Path) -> Path:
    """Return the embedded engine's program; it is built into the cache if it is missing. Raises ToolError."""
    pins = (SHIM / "go.mod").read_text() + (SHIM / "go.sum").read_text()
    key = source_hash("cmd/fake-cluster", "internal", "clusterpb", salt=go_version() + pins)
    folder = cache / "fake-cluster" / key
    with building(folder) as scratch:
        if scratch is not None:
            build("./cmd/fake-cluster", scratch / PROGRAM)
    return folder / PROGRAM
