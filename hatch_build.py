"""Builds the file of evidence into the wheel, from the text that the source archive and a checkout have."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "probe/evidence/data/evidence.sqlite"


class EvidenceHook(BuildHookInterface[Any]):  # type: ignore[misc]  # hatchling is only where wheels are built
    """Adds the file and its digest. An editable installation has none: it reads the checkout's text."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the file before the wheel. Raises CalledProcessError, whose output says what is wrong."""
        if version == "editable":
            return
        self.made = Path(tempfile.mkdtemp()) / "evidence.sqlite"
        argv = [sys.executable, "-m", "probe.evidence.checkout_build", str(self.made)]
        subprocess.run(argv, cwd=self.root, check=True, timeout=300)
        for name in (self.made.name, f"{self.made.name}.sha256"):
            build_data["force_include"][str(self.made.with_name(name))] = f"{Path(PLACE).parent}/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002  # the hook's form
        """Remove what was built."""
        if version != "editable":
            for path in self.made.parent.iterdir():
                path.unlink()
            self.made.parent.rmdir()
