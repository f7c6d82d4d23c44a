"""Readers of an audit's formats that are not ours, each as its own process."""

from __future__ import annotations

import csv
import io
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.fetched_tools import listed_packages, npm_package

PINS = Path(__file__).parents[1] / "data" / "finding_readers.txt"
MULTITOOL = ("@microsoft/sarif-multitool-linux", "5.7.0")
OFFLINE = {"SARIF2006.UrisShouldBeReachable.Options": {"RuleEnabled": "Disabled"}}
"""The tool's rules but the one that fetches the schema from its address."""

CYCLONEDX = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
errors = JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read())
sys.exit(repr(errors) if errors else 0)
"""
VEXIPY = """
import json, sys, warnings
warnings.simplefilter("ignore")  # of statements without a justification label, which the specification allows
from vexipy import Document
document = Document.from_json(sys.stdin.read())
print(json.dumps([[one.vulnerability.name, one.status.value, [product.id for product in one.products]]
                  for one in document.statements]))
"""
JUNIT = """
import json, sys
from junitparser import JUnitXml
root = JUnitXml.fromstring(sys.stdin.read().encode())
print(json.dumps([[suite.name, suite.tests, suite.failures, suite.skipped,
                   [[case.name, [type(one).__name__ for one in case.result]] for case in suite]] for suite in root]))
"""
PURL = """
import json, sys
from packageurl import PackageURL
print(json.dumps([[(one := PackageURL.from_string(text)).type, one.namespace, one.name, one.version, one.to_string()]
                  for text in json.load(sys.stdin)]))
"""


def ask(code: str, text: str) -> Any:
    """Run code with the readers' packages, with a text as its input; return what it prints as JSON, else None."""
    folder = listed_packages("finding-readers", PINS)
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONNOUSERSITE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout.strip() else None


def sarif_schema() -> Any:
    """Return the schema of SARIF 2.1.0 that the Multitool brings."""
    return json.loads((npm_package(*MULTITOOL) / "sarif-2.1.0.json").read_text())


def sarif_rows(file: Path, *columns: str) -> list[dict[str, str]]:
    """Return columns of a SARIF file's results, as the Multitool reads them."""
    done = _multitool(file.parent, "project", str(file), "--columns", ",".join(columns))
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def sarif_problems(file: Path) -> set[str]:
    """Return the Multitool's rules that a SARIF file breaks, errors and warnings."""
    settings, out = file.with_suffix(".settings.json"), file.with_suffix(".problems.json")
    settings.write_text(json.dumps(OFFLINE))
    more = ("--config", str(settings), "--level", "Error;Warning", "--output", str(out), "--log", "ForceOverwrite")
    done = _multitool(file.parent, "validate", str(file), *more)
    assert done.returncode == 0, done.stdout
    return {found["ruleId"] for found in json.loads(out.read_text())["runs"][0].get("results", [])}


def _multitool(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("this package of the SARIF Multitool is for Linux on x86-64")
    program = npm_package(*MULTITOOL) / "Sarif.Multitool"
    program.chmod(0o755)  # an npm package has no modes
    environment = {
        **os.environ,
        "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",  # a machine may lack ICU
        "DOTNET_BUNDLE_EXTRACT_BASE_DIR": str(folder / "dotnet"),
    }
    return subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False, env=environment)
