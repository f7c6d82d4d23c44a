"""The Maven registry, reached by `jgo` (with the repositories of its own configuration), else by `mvn`."""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tenacity

from probe.errors import ProvisionError
from probe.toolchain.tools import ToolError, find_tool

TRIES = 3
ANSWER_S = 60
"""Longest wait for one answer of the registry."""
MVN_S = 300
WAY_OUT = "check the network, or the repositories in jgo's or Maven's own configuration"


@dataclass(frozen=True, slots=True)
class Coordinate:
    """The coordinate of one file in a Maven registry."""

    group: str
    artifact: str
    version: str
    packaging: str = "jar"
    classifier: str = ""

    @classmethod
    def parse(cls, text: str) -> Coordinate:
        """Parse `group:artifact:version[:packaging[:classifier]]`. Raises ProvisionError for any other form."""
        parts = text.split(":")
        if not 3 <= len(parts) <= 5 or not all(re.fullmatch(r"[\w.-]+", part) for part in parts):
            raise ProvisionError(f"{text} is not a Maven coordinate; write group:artifact:version")
        return cls(*parts)

    def __str__(self) -> str:
        tail = f":{self.packaging}:{self.classifier}" if self.classifier else ""
        return f"{self.group}:{self.artifact}:{self.version}{tail}"

    @property
    def file(self) -> str:
        """The file's name in the cache."""
        classifier = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{classifier}.{self.packaging}"


class UnreachableError(Exception):
    """The registry did not answer; another attempt may help."""


_persistent = tenacity.retry(
    retry=tenacity.retry_if_exception_type(UnreachableError),
    stop=tenacity.stop_after_attempt(TRIES),
    wait=tenacity.wait_random_exponential(multiplier=0.5, max=4),
    reraise=True,
)


def download(wanted: Coordinate, scratch: Path) -> Path:
    """Download one file to a folder below `scratch`. ProvisionError if the registry lacks it or does not answer."""
    try:
        return _download(wanted, scratch)
    except UnreachableError as error:
        try:
            return _by_mvn(wanted, scratch)
        except ToolError:
            raise ProvisionError(f"{wanted}: the Maven registry cannot be reached ({error}); {WAY_OUT}") from None


def versions(group: str, artifact: str) -> list[str]:
    """Return all listed versions. ProvisionError if there is no such project or the registry does not answer."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            found = _versions(group, artifact, Path(scratch))
        except UnreachableError as error:
            raise ProvisionError(
                f"{group}:{artifact}: the Maven registry cannot be reached ({error}); {WAY_OUT}"
            ) from None
    if not found:
        raise ProvisionError(f"{group}:{artifact}: the Maven registry does not list it; check its name")
    return found


@_persistent
def _download(wanted: Coordinate, scratch: Path) -> Path:
    fresh = Path(tempfile.mkdtemp(dir=scratch))  # jgo takes the remains of an interrupted attempt for the whole file
    component = _project(wanted.group, wanted.artifact, fresh).at_version(wanted.version)
    try:
        found = Path(component.artifact(wanted.classifier, wanted.packaging).resolve())
    except OSError as error:  # also the exceptions of requests
        raise UnreachableError(type(error).__name__) from None
    except RuntimeError:
        if wanted.version in _versions(wanted.group, wanted.artifact, fresh):
            # jgo reports "not found" for every status except 200.
            raise UnreachableError("it lists this version but did not serve it") from None
        raise ProvisionError(f"{wanted}: the Maven registry does not have it; choose another version") from None
    if wanted.packaging == "jar" and not zipfile.is_zipfile(found):
        raise UnreachableError("it served an incomplete file")
    return Path(shutil.copy(found, fresh))  # `found` may be in the user's own Maven folder, which must stay as it is


@_persistent
def _versions(group: str, artifact: str, scratch: Path) -> list[str]:
    project = _project(group, artifact, scratch)
    project.update()
    folder = scratch / "repository" / project.path_prefix
    if not list(folder.glob("maven-metadata-*")):
        # jgo leaves this file if the registry answered, and logs any failure.
        raise UnreachableError("no answer")
    return [str(version) for version in project.metadata.versions]


def _project(group: str, artifact: str, scratch: Path) -> Any:
    """Return jgo's view of a project."""
    return _place(scratch).project(group, artifact)


def _place(scratch: Path) -> Any:
    """Return a context of jgo that downloads below `scratch` and only reads the user's own Maven folder."""
    try:
        from jgo.config import GlobalSettings  # noqa: PLC0415 - of the set-up group, not needed to read results
        from jgo.maven import MavenContext  # noqa: PLC0415 - same
    except ImportError:
        raise UnreachableError("jgo is not installed") from None
    logging.getLogger("jgo").setLevel(logging.ERROR)
    settings = GlobalSettings.load()
    place = MavenContext(repo_cache=scratch / "repository", local_repos=[Path(settings.repo_cache)], timeout=ANSWER_S)
    place.remote_repos.update(settings.repositories)
    return place


def _by_mvn(wanted: Coordinate, scratch: Path) -> Path:
    """Download by Maven, with the mirrors and proxies of its own settings. Raises ToolError if that fails."""
    out = Path(tempfile.mkdtemp(dir=scratch))
    name = f"{wanted.group}:{wanted.artifact}:{wanted.version}:{wanted.packaging}"
    name += f":{wanted.classifier}" if wanted.classifier else ""
    argv = [str(find_tool("mvn")), "-q", "-B", "dependency:copy", f"-Dartifact={name}", f"-DoutputDirectory={out}"]
    try:
        subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=MVN_S, check=True, cwd=scratch)
        return next(out.iterdir())
    except (subprocess.SubprocessError, OSError, StopIteration) as error:
        raise ToolError(f"mvn cannot fetch {wanted}: {error}") from None
