"""A client that is a program on lines of JSON (`exec:PROGRAM`, docs/join.md), which describes itself.

It has one version, and no registry. Its family is `exec-NAME`, by the name that it says.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from probe.catalogue.families import Family, Version
from probe.catalogue.files import clients_folder
from probe.drivers.launch import Launch
from probe.errors import ProvisionError
from probe.processes.short_runs import run_once

ROLES = ("producer", "consumer", "group")
"""The roles that the contract of lines has."""
PROFILES = ("isolated", "defaults")
BACK_OFF_MS = 100
"""The pause between two attempts of a client that names none: the storm bound rests on it."""
HELLO_S = 20
"""Longest time from the start of a program to its first line."""
WAY_OUT = "docs/join.md has the contract, and `probe check-driver` tests a program against it"


def described(text: str) -> tuple[Family, Version]:
    """Return the family and the version of `exec:PROGRAM`, as it says itself. ProvisionError if it does not."""
    path = Path(text.partition(":")[2]).expanduser()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise ProvisionError(f"{text}: {path} is no program that can be started; {WAY_OUT}")
    hello = _hello(text, path.resolve())
    mark = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    version = Version(version=f"{hello['version']}+local.{mark}", artifact=str(path.resolve()))
    return _family(hello, path.resolve(), version), version


def _hello(text: str, path: Path) -> Mapping[str, Any]:
    """Return the first line of a program without input. ProvisionError if it is no greeting."""
    try:
        said = run_once([str(path)], seconds=HELLO_S)
    except subprocess.TimeoutExpired:
        raise ProvisionError(f"{text}: it did not end within {HELLO_S} s of the end of its input; {WAY_OUT}") from None
    except OSError as error:
        raise ProvisionError(f"{text}: it cannot be started ({error.strerror}); {WAY_OUT}") from None
    first = (said.out.splitlines() or [""])[0]
    try:
        return _checked(json.loads(first))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        words = repr(first[:100]) if first else f"nothing{_last_words(said.errors)}"
        why = f"; {error}" if isinstance(error, ValueError) and not isinstance(error, json.JSONDecodeError) else ""
        raise ProvisionError(f"{text}: its first line is no greeting but {words}{why}; {WAY_OUT}") from None


def _last_words(stderr: str) -> str:
    lines = stderr.strip().splitlines()
    return f" ({lines[-1][:200]})" if lines else ""


def _checked(hello: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a greeting. KeyError, ValueError or the like for anything else."""
    if hello.get("event") != "hello":
        raise KeyError("event")
    if not re.fullmatch(r"[a-z][a-z0-9-]*", hello["name"]):
        raise ValueError(f"name {hello['name']!r} has other characters than a-z, 0-9 and -")
    if not re.fullmatch(r"\d[\w.-]*", hello["version"]):
        raise ValueError(f"version {hello['version']!r} is none of a library, such as 1.2.3")
    roles = hello["roles"]
    if not roles or any(role not in ROLES for role in roles):
        raise ValueError(f"roles {roles!r} are not of {', '.join(ROLES)}")
    return {**hello, "back_off_ms": int(hello.get("back_off_ms", BACK_OFF_MS))}


def _family(hello: Mapping[str, Any], path: Path, version: Version) -> Family:
    return Family.model_validate(
        {
            "family": f"exec-{hello['name']}",
            "title": hello["name"],
            "about": f"A program on lines of JSON, {path.name}.",
            "driver": "",
            "instances_per_process": 8,
            "core": [],
            "source": {"kind": "exec", "name": str(path)},
            "roles": {role: {} for role in hello["roles"]},
            "profiles": {name: {} for name in PROFILES},
            "behaviour": {
                "back_off_ms": [{"value": hello["back_off_ms"], "source": "as the program says, else assumed"}]
            },
            "missing_workloads": {"keyed": "a program on lines of JSON is given a partition with every record"},
            "versions": [version.model_dump()],
        }
    )


def obtain(family: Family, version: Version, cache: Path) -> Launch:  # noqa: ARG001  # the interface of sources
    """Return the command of the adapter that drives the program."""
    adapter = clients_folder().resolve() / "python" / "program_adapter" / "__main__.py"
    hello = {
        "family": family.family,
        "version": version.version,
        "roles": list(family.roles),
        "profiles": list(family.profiles),
    }
    argv = (sys.executable, str(adapter), "--program", version.artifact, "--hello", json.dumps(hello))
    return Launch(argv, f"program {Path(version.artifact).name} {version.version}")


def newest(family: Family) -> str:
    """Return the one version."""
    return family.newest.version


def exists(family: Family, artifact: str) -> bool:
    """Return whether it is the one version."""
    return artifact == family.newest.version
