"""Maven's failures in one line: the artifact that is absent, and not the one that asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.errors import ProvisionError
from probe.toolchain import maven_dependencies

SAID = "[ERROR] Failed to execute goal on project closure: Could not resolve dependencies for project p:c:jar:1: "
HELP = " -> [Help 1]\n[ERROR] \n[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.\n"
ROOTS = ["org.example:runtime:7.0.0", "org.example:file:7.0.0"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "Could not find artifact org.example:file:jar:7.0.0 in central (http://localhost)",
            "the Maven registry does not have org.example:file:7.0.0, which it needs; choose another version",
        ),
        (
            "org.example:file:jar:7.0.0 was not found in http://localhost during a previous attempt",
            "the Maven registry does not have org.example:file:7.0.0, which it needs; choose another version",
        ),
        (
            "Could not transfer artifact org.example:file:pom:7.0.0 from/to central (http://localhost): refused",
            "Maven cannot resolve it: Failed to execute goal on project closure: Could not resolve dependencies",
        ),
    ],
)
def test_a_failure_of_maven_names_what_is_absent(
    said: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "said").write_text(SAID + said + HELP)
    program = tmp_path / "mvn"
    program.write_text(f"#!/bin/sh\ncat {tmp_path}/said\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(maven_dependencies, "find_tool", lambda _: program)
    with pytest.raises(ProvisionError) as failure:
        maven_dependencies.resolve(ROOTS)
    assert str(failure.value).startswith(f"org.example:runtime:7.0.0: {reason}")
    assert "\n" not in str(failure.value)
    assert "[Help" not in str(failure.value)


def test_a_silent_failure_says_so() -> None:
    assert maven_dependencies.reason("") == "Maven cannot resolve it: it printed no reason"
