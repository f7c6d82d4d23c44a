"""npm packages with compiled code: built once for each Node that runs them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from probe.catalogue.families import Family, NpmBuild
from probe.drivers.sources.node_program import node
from probe.toolchain import npm_build
from probe.toolchain.tools import ToolError


@dataclass(frozen=True, slots=True)
class NativeBuild:
    """The build of a package for one Node."""

    how: NpmBuild
    node: Path

    @classmethod
    def of(cls, family: Family, program: Path) -> NativeBuild | None:
        """Return the build for a Node, None for a family without compiled code."""
        return None if family.source.build is None else cls(family.source.build, program)

    def check(self) -> None:
        """Raise ToolError if this machine cannot build it; what is built already needs no compiler."""
        if text := npm_build.lacks(self.node, self.how.tools):
            raise ToolError(text)

    @property
    def mark(self) -> str:
        """Return the end of the build's folder: compiled code fits one Node only. ToolError if that does not answer."""
        key = hashlib.sha256(f"{npm_build.version_of(self.node)}\n{self.how.model_dump_json()}".encode())
        return f"-{key.hexdigest()[:8]}"

    def build(self, package: Path) -> None:
        """Build an unpacked package and remove what does not run. ToolError with the first complaint."""
        npm_build.build(package, self.how.scripts, self.how.env, self.node)
        npm_build.keep_only(package, self.how.keep)


def compiler_of(family: Family) -> tuple[bool, str]:
    """Return whether this machine can build a family's packages, and what it builds with or lacks."""
    assert family.source.build is not None
    try:
        program = node()
    except ToolError as error:
        return False, str(error)
    text = npm_build.lacks(program, family.source.build.tools)
    return not text, text or f"{', '.join(family.source.build.tools)} and the headers of {program}"
