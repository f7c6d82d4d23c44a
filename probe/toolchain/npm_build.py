"""npm packages with compiled code, built from their own sources by their own scripts; Node's headers are its own.

No script of the installation runs, which would look for a finished build on another host. What a build leaves that does
not run is removed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from probe.toolchain.commands import run_command
from probe.toolchain.tools import ToolError, find_tool

BUILD_S = 1800.0
"""Longest build of one package."""
HEADER = Path("include/node/node_version.h")
"""Below the folder that Node is installed in."""
MAJOR = re.compile(r"^#define NODE_MAJOR_VERSION (\d+)", re.MULTILINE)
HEADERS = "install its headers, or run `python3 run.py setup` without a Node on PATH, which takes both from a registry"


def lacks(node: Path, tools: Iterable[str]) -> str:
    """Return why this machine cannot build for a Node: a missing tool or its headers, with the way out; else empty."""
    try:
        for name in ("npm", *tools):
            find_tool(name)
        headers(node)
    except ToolError as error:
        return str(error)
    return ""


def headers(node: Path) -> Path:
    """Return the folder that a Node and its headers are installed in. ToolError if they are not there."""
    prefix = node.resolve().parent.parent
    try:
        found = MAJOR.search((prefix / HEADER).read_text())
    except OSError:
        raise ToolError(f"{node} has no {prefix / HEADER}, which a compiler needs; {HEADERS}") from None
    major = version_of(node).partition(".")[0]
    if found is None or found[1] != major:
        stated = found[1] if found else "no"
        raise ToolError(f"{prefix / HEADER} is of Node {stated}, but {node} is {major}; {HEADERS}")
    return prefix


def version_of(node: Path) -> str:
    """Return a Node's version, such as `20.20.2`. ToolError if it does not report one."""
    late = ToolError(f"{node} --version did not end; reinstall Node")
    done = run_command([str(node), "-p", "process.versions.node"], 20, late)
    if done.returncode or not done.stdout.strip():
        raise ToolError(f"{node} does not report a version; reinstall Node")
    return done.stdout.strip()


def build(package: Path, scripts: Iterable[str], env: Mapping[str, str], node: Path) -> None:
    """Run scripts of an unpacked package that compile it for a Node.

    ToolError with the first complaint, if one fails or takes longer than `BUILD_S` seconds.
    """
    known = json.loads((package / "package.json").read_text()).get("scripts", {})
    with tempfile.TemporaryDirectory(prefix="npm-") as scratch:
        around = {**os.environ, **_environment(node, scratch), **env}
        for script in scripts:
            if script not in known:
                raise ToolError(f"{package.name} has no script {script}; name another version")
            late = ToolError(f"{package.name}: {script} took longer than {BUILD_S:.0f} s; try on a quieter machine")
            done = run_command([str(find_tool("npm")), "run", script], BUILD_S, late, cwd=package, env=around)
            if done.returncode:
                raise ToolError(f"{package.name}: {script} failed: {complaint(done.stdout + done.stderr)}")


def _environment(node: Path, scratch: str) -> dict[str, str]:
    places = [str(node.parent), os.environ.get("PATH", ""), str(Path(sys.executable).parent)]
    return {
        "PATH": os.pathsep.join(places),
        "NODE_OPTIONS": "",
        "MAKEFLAGS": f"-l{os.cpu_count() or 1}",  # a make without a limit of jobs starts all compilers at once
        "npm_config_cache": scratch,
        "npm_config_nodedir": str(headers(node)),
        "npm_config_update_notifier": "false",
    }


def complaint(output: str) -> str:
    """Return the first line with an error of a build's output, else its last one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\berror\b[:! ]|Error:|\*\*\* ", line)]
    return (errors or lines[-1:] or ["it printed nothing"])[0][:200]


def keep_only(folder: Path, patterns: Collection[str]) -> None:
    """Remove every file of a folder that no pattern matches, links, and the folders that are empty then.

    A pattern ends with a file's name, or with `/**` for all that lies below a folder.
    """
    kept = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file() and not path.is_symlink()}
    kept |= {path for pattern in patterns if pattern.endswith("/**") for path in (folder / pattern[:-3]).rglob("*")}
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                shutil.rmtree(path)
        elif path not in kept:
            path.unlink()
