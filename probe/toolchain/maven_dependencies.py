"""Jars that an artifact needs at run time, as Maven resolves them: for Kafka versions that no file of ours lists."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from probe.errors import ProvisionError
from probe.toolchain.maven_registry import Coordinate
from probe.toolchain.tools import ToolError, find_tool

LIMIT_S = 300
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>probe</groupId><artifactId>closure</artifactId><version>1</version>
<dependencies>{}</dependencies></project>
"""
DEPENDENCY = (
    "<dependency><groupId>{0.group}</groupId><artifactId>{0.artifact}</artifactId><version>{0.version}</version>"
    "</dependency>"
)
ABSENT = re.compile(
    r"([\w.-]+):([\w.-]+):[\w-]+:([\w.-]+) was not found in"
    r"|Could not find artifact ([\w.-]+):([\w.-]+):[\w-]+:([\w.-]+)"
)
"""Maven's two sentences for an artifact that the registry lacks: from its local repository, and from the registry."""
LISTED = re.compile(r"^\s+([\w.-]+):([\w.-]+):jar:(?:([\w.-]+):)?([\w.-]+):(?:compile|runtime)\b")


def resolve(roots: Sequence[str]) -> list[str]:
    """Return the coordinates of these artifacts and of all their dependencies. ProvisionError if Maven fails."""
    wanted = "".join(DEPENDENCY.format(Coordinate.parse(root)) for root in roots)
    with tempfile.TemporaryDirectory() as scratch:
        pom, out = Path(scratch, "pom.xml"), Path(scratch, "list")
        pom.write_text(POM.format(wanted))
        try:
            argv = [str(find_tool("mvn")), "-q", "-B", "-f", str(pom), "dependency:list"]
            argv += ["-DincludeScope=runtime", f"-DoutputFile={out}"]
            subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=True)
            listed = out.read_text()
        except ToolError as error:
            raise ProvisionError(f"{roots[0]}: only Maven can resolve its dependencies: {error}") from None
        except subprocess.TimeoutExpired:
            raise ProvisionError(f"{roots[0]}: Maven did not answer within {LIMIT_S} s; check the network") from None
        except subprocess.CalledProcessError as error:
            raise ProvisionError(f"{roots[0]}: {reason(error.stdout)}") from None
        except OSError as error:
            raise ProvisionError(f"{roots[0]}: Maven cannot be run: {error}") from None
    return jars(listed)


def reason(said: str) -> str:
    """Return why Maven failed, from its output: the artifact that the registry lacks, else its first error."""
    if absent := ABSENT.search(said):
        artifact = ":".join(part for part in absent.groups() if part)
        return f"the Maven registry does not have {artifact}, which it needs; choose another version"
    errors = [
        line.partition("[ERROR]")[2].partition(" -> [Help")[0].strip()
        for line in said.splitlines()
        if "[ERROR]" in line
    ]
    return f"Maven cannot resolve it: {errors[0] if errors else 'it printed no reason'}"


def jars(listed: str) -> list[str]:
    """Return the coordinates in Maven's list of the jars that are needed at run time."""
    found = []
    for match in filter(None, map(LISTED.match, listed.splitlines())):
        group, artifact, classifier, version = match.groups()
        found.append(f"{group}:{artifact}:{version}" + (f":jar:{classifier}" if classifier else ""))
    return found
