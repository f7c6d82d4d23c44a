"""npm in the configuration of this machine: the only access to the npm registry. Scripts of packages do not run."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from probe.errors import ProvisionError
from probe.toolchain.commands import run_command
from probe.toolchain.tools import find_tool

DEADLINE_S = 180
QUIET = ("--ignore-scripts", "--no-update-notifier", "--no-fund", "--no-audit", "--loglevel=error")
FEW_RETRIES = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=2000")
"""For a question: without a network npm's own retries take more than a minute."""
UNREACHED = re.compile(r"ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|UND_ERR|FETCH_ERROR")
ABSENT = re.compile(r"E404|ETARGET|notarget")


def versions(name: str) -> list[str]:
    """Return all versions of a package that the registry lists. ProvisionError if it lists none or does not answer."""
    listed = _run(name, "view", name, "versions", "--json", *FEW_RETRIES)
    try:
        found = json.loads(listed)
    except ValueError:
        raise ProvisionError(f"{name}: npm did not report the registry's versions; name a version instead") from None
    return [found] if isinstance(found, str) else [str(item) for item in found]


def view(spec: str, *fields: str) -> Any:
    """Return fields of one version, or of several as a list. ProvisionError if the registry does not answer."""
    try:
        return json.loads(_run(spec, "view", spec, *fields, "--json", *FEW_RETRIES))
    except ValueError:
        raise ProvisionError(f"{spec}: npm did not report {' and '.join(fields)}") from None


def pack(wanted: Sequence[str], folder: Path) -> list[Path]:
    """Download the tarballs of `name@version`s, without dependencies. ProvisionError if one cannot be downloaded."""
    _run(", ".join(wanted), "pack", *wanted, "--pack-destination", str(folder))
    found = sorted(folder.glob("*.tgz"))
    if len(found) != len(set(wanted)):
        raise ProvisionError(f"{', '.join(wanted)}: npm left {len(found)} of them; look at npm's configuration")
    return found


def _run(what: str, *arguments: str) -> str:
    """Return npm's output. Its cache and logs are in a folder that is removed afterwards."""
    npm = find_tool("npm")
    with tempfile.TemporaryDirectory(prefix="npm-") as scratch:
        env = {**os.environ, "npm_config_cache": scratch, "NODE_OPTIONS": ""}
        late = ProvisionError(f"{what}: the npm registry did not answer within {DEADLINE_S} s; try again later")
        done = run_command([str(npm), *arguments, *QUIET], DEADLINE_S, late, cwd=scratch, env=env)
    if done.returncode:
        raise ProvisionError(f"{what}: {_reason(done.stderr)}")
    return done.stdout


def _reason(stderr: str) -> str:
    if ABSENT.search(stderr):
        return "the npm registry does not have it; choose another version"
    if UNREACHED.search(stderr):
        return "the npm registry cannot be reached; check the network and npm's configuration, or use a filled cache"
    lines = [line for line in stderr.splitlines() if line.strip()] or ["npm printed no reason"]
    return f"npm failed: {lines[0].strip()[:200]}"
