"""osv-scanner for tests and for the SBOM of the image, built by set-up. Standard library only, for run.py."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from probe.toolchain.setup_calls import SetupError, call, say
from probe.toolchain.tools import OSV_SCANNER, cache_root

SCANNER = "osv-scanner"


def place() -> Path:
    """Return the folder of the program in the cache."""
    return cache_root() / "programs" / f"{SCANNER}-{OSV_SCANNER}"


def is_wanted(arguments: Sequence[str], tests: Path) -> bool:
    """Return whether arguments of pytest include the file of its tests: they name no files, that one, or its folder."""
    files = [Path(one.partition("::")[0]).absolute() for one in arguments if not one.startswith("-")]
    files = [one for one in files if one.exists()]
    return "--quick" not in arguments and (not files or any(tests.is_relative_to(one) for one in files))


def ensure(python: Path, tools: Path) -> None:
    """Build the program into the cache unless it is there, or on the PATH; say so if the registry does not answer.

    `python` is that of the environment, `tools` the folder of fetched programs.
    """
    if place().exists() or shutil.which(SCANNER):
        return
    say(f"osv-scanner {OSV_SCANNER}: building it from the Go module proxy (once; five to six minutes of CPU, 3 GB)")
    path = os.pathsep.join([os.environ.get("PATH", ""), str(tools)])
    try:
        call([str(python), "-m", "tests.support.osv_scanner"], "make it reachable", env={"PATH": path})
    except SetupError as error:
        say(f"{error}; without osv-scanner ten tests are skipped, and the image has no SBOM")
