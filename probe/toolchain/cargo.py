"""cargo in the configuration of this machine: the only access to the registry of crates, and builds of Rust drivers."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Mapping
from functools import cache as remember
from pathlib import Path

from probe.errors import ProvisionError
from probe.toolchain.commands import run_command
from probe.toolchain.tools import ToolError, find_tool

ASK_S = 120
BUILD_S = 1800.0
"""Longest build: the first one of a family compiles its library and some hundred crates."""
PROGRAM = "program"
"""Name of the programs that are built."""
NONE_WITHIN = "failed to select a version for the requirement `{name} = "
"""cargo's words where no release of a crate is within a range."""
RANGE = """[package]
name = "range"
version = "0.0.0"
edition = "2021"

[lib]
path = "lib.rs"

[dependencies]
{name} = {{ version = "{wanted}", default-features = false }}
"""
"""Of edition 2021, which does not leave out releases that need a newer compiler."""


def build(folder: Path, target: Path, env: Mapping[str, str], *features: str) -> Path:
    """Build the program of the manifest in a folder; `target` keeps what the next build of the family needs.

    Builds that share a target folder wait for each other. ToolError with the compiler's first complaint.
    """
    wanted = ["--features", ",".join(features)] if features else []
    done = _cargo("build", "--release", "--bin", PROGRAM, "--target-dir", str(target), *wanted, cwd=folder, env=env)
    if done.returncode:
        raise ToolError(f"{folder.name} did not build: {complaint(done)}")
    return target / "release" / PROGRAM


def pin(folder: Path, name: str, version: str) -> None:
    """Make the lock file of the manifest in a folder name this version of a crate. ToolError with cargo's complaint."""
    done = _cargo("update", name, "--precise", version, cwd=folder, env={})
    if done.returncode:
        raise ToolError(f"{folder.name}: no {name} {version}: {complaint(done)}")


def newest(name: str) -> str:
    """Return the newest release of a crate. ProvisionError if the registry does not answer."""
    found = re.search(r"^version: (\S+)", _info(name), re.MULTILINE)
    if found is None:
        raise ProvisionError(f"{name}: cargo did not report a version of it; name one")
    return found[1]


def serves(name: str, version: str) -> bool:
    """Return whether the registry has a version of a crate. ProvisionError if it does not answer."""
    try:
        _info(f"{name}@{version}")
    except ProvisionError as error:
        if "could not find" in str(error):
            return False
        raise
    return True


def between(name: str, after: str, before: str) -> list[str]:
    """Return the releases of a crate between two, the newest first. ProvisionError if the registry does not answer.

    cargo lists no versions. It locks the newest one within a range, so that one call finds one release.
    """
    found: list[str] = []
    while (version := _locked(name, f">{after}, <{found[-1] if found else before}")) is not None:
        found.append(version)
    return found


def fetch_index(name: str, env: Mapping[str, str]) -> None:
    """Have cargo fetch the registry's entry of a crate into the home folder that `env` names. ProvisionError if not."""
    with tempfile.TemporaryDirectory(prefix="cargo-") as scratch:
        (Path(scratch) / "lib.rs").touch()
        (Path(scratch) / "Cargo.toml").write_text(RANGE.format(name=name, wanted="*"))
        done = _cargo("generate-lockfile", cwd=Path(scratch), env=env, limit_s=ASK_S)
    if done.returncode:
        raise ProvisionError(f"{name}: {complaint(done)}")


@remember
def cargo_version() -> str:
    """Return the toolchain's version, such as `cargo 1.95.0`. ToolError without cargo."""
    done = _cargo("--version", cwd=Path(tempfile.gettempdir()), env={}, limit_s=ASK_S)
    if done.returncode:
        raise ToolError(f"cargo --version failed: {complaint(done)}; reinstall Rust")
    return " ".join(done.stdout.split()[:2])


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """Return the first line with an error of a failed command's output."""
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error")]
    return (errors or lines[-1:] or [f"exit code {done.returncode}"])[0][:200]


def _locked(name: str, wanted: str) -> str | None:
    """Return the newest release that a requirement allows; None without one."""
    with tempfile.TemporaryDirectory(prefix="cargo-") as scratch:
        folder = Path(scratch)
        (folder / "lib.rs").touch()
        (folder / "Cargo.toml").write_text(RANGE.format(name=name, wanted=wanted))
        try:
            done = _cargo("generate-lockfile", cwd=folder, env={}, limit_s=ASK_S)
        except ToolError as error:
            raise ProvisionError(str(error)) from None
        if done.returncode and NONE_WITHIN.format(name=name) in done.stderr:
            return None
        if done.returncode:
            raise ProvisionError(f"{name} {wanted}: {complaint(done)}")
        packages = tomllib.loads((folder / "Cargo.lock").read_text())["package"]
    return next(str(item["version"]) for item in packages if item["name"] == name)


def _info(spec: str) -> str:
    with tempfile.TemporaryDirectory(prefix="cargo-") as scratch:  # cargo reads manifests around its folder
        try:
            done = _cargo("info", spec, cwd=Path(scratch), env={}, limit_s=ASK_S)
        except ToolError as error:
            raise ProvisionError(str(error)) from None
    if done.returncode:
        raise ProvisionError(f"{spec}: {complaint(done)}")
    return done.stdout


def _cargo(
    *arguments: str, cwd: Path, env: Mapping[str, str], limit_s: float = BUILD_S
) -> subprocess.CompletedProcess[str]:
    late = ToolError(f"cargo {arguments[0]} took longer than {limit_s:.0f} s; try again on a quieter machine")
    argv = [str(find_tool("cargo")), *arguments]
    return run_command(argv, limit_s, late, cwd=cwd, env={**os.environ, "CARGO_TERM_COLOR": "never", **env})
