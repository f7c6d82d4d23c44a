"""Modules of drivers in Node, asked without a broker: what a start makes of the library's settings."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import read_family
from probe.drivers.launch import Launch
from probe.drivers.provision import provision
from probe.errors import ProvisionError

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
UNSUPPORTED: tuple[tuple[str, str, dict[str, str], str], ...] = (
    ("group", "acks-1", {}, "only producers"),
    ("producer", "isolated", {"consumer.minBytes": "1"}, "no setting 'consumer.minBytes' for role producer"),
    ("producer", "isolated", {"acks": "1"}, "no setting 'acks'"),
    ("producer", "isolated", {"producer.idempotent": "perhaps"}, "does not take 'perhaps'"),
    ("producer", "isolated", {"__proto__.polluted": "1"}, "no setting"),
)
"""Role, profile and properties of starts that both libraries of JavaScript refuse, and the reason."""


def launch_of(name: str, version: str) -> Launch:
    """Return how a listed version is started. A machine that cannot obtain it skips the test."""
    family = read_family(CLIENTS / name / "client.toml")
    found = family.find(version)
    assert found is not None
    try:
        return provision(family, found)
    except ProvisionError as error:
        pytest.skip(str(error))


def answer_of(launch: Launch, script: str) -> Any:
    """Run a module, and return what it leaves in `answer`."""
    code = f"{script};process.stdout.write(JSON.stringify(answer));"
    argv = [launch.argv[0], "--input-type=module", "-e", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def starts(settings: Sequence[tuple[Any, ...]]) -> str:
    """Return the starts of rows that end with role, profile, properties and what is expected, as JSON."""
    wanted = [{"role": row[-4], "profile": row[-3], "properties": row[-2]} for row in (*settings, *UNSUPPORTED)]
    return json.dumps(wanted)
