"""The command that starts a driver process for one client version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Launch:
    """A driver's command. The host adds `--connect ADDRESS --token T`."""

    argv: tuple[str, ...]
    artifact: str
    """The artifact with its digest: `module github.com/IBM/sarama v1.43.3 h1:...`."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables to add to the environment."""
    built: Path | None = None
    """The folder of the cache that holds what was built or unpacked for this version alone; None = there is none."""
    folder_option: str = ""
    """Beginning of the option that names the folder of the process's temporary files, which goes with it; "" = none."""
