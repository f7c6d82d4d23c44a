"""Small families of npm packages for tests, with a folder that replaces the npm registry."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probe.catalogue.families import Family
from probe.errors import ProvisionError


def tarball(file: Path, content: Mapping[str, str]) -> str:
    """Write a package in the layout of npm, with its files below `package`; return the digest."""
    with tarfile.open(file, "w:gz") as archive:
        for name, text in content.items():
            member = tarfile.TarInfo(name if name.startswith("/") else f"package/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return "sha512-" + base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()


@dataclass
class Registry:
    """A replacement of probe.toolchain.npm that records the requests for packages."""

    folder: Path
    down: bool = False
    packs: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, version: str, name: str = "toy", **more: str) -> str:
        """Publish a package; return the digest."""
        content = {"package.json": json.dumps({"name": name, "version": version}), "index.js": "", **more}
        return tarball(self.folder / f"{self._file(f'{name}@{version}')}", content)

    def versions(self, name: str) -> list[str]:
        self._answer()
        return [file.stem.removeprefix(f"{name}-") for file in sorted(self.folder.glob(f"{name}-*.tgz"))]

    def pack(self, wanted: Sequence[str], folder: Path) -> list[Path]:
        self.packs.append(tuple(wanted))
        self._answer()
        found = []
        for item in wanted:
            served = self.folder / self._file(item)
            if not served.exists():
                raise ProvisionError(f"{item}: the npm registry does not have it")
            found.append(folder / served.name)
            found[-1].write_bytes(served.read_bytes())
        return found

    def _answer(self) -> None:
        if self.down:
            raise ProvisionError("the npm registry cannot be reached")

    @staticmethod
    def _file(spec: str) -> str:
        name, _, version = spec.rpartition("@")
        return f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"


def toy_family(
    versions: Sequence[dict[str, Any]], extra: Sequence[str] = (), source: Mapping[str, Any] | None = None
) -> Family:
    """Return a family `toy` of npm packages; `source` has more keys of its source."""
    return Family.model_validate(
        {
            "family": "toy",
            "title": "Toy",
            "about": "",
            "driver": "driver/main.js",
            "instances_per_process": 1,
            "core": ["latest"],
            "source": {"kind": "npm", "name": "toy", "extra": list(extra), **(source or {})},
            "roles": {"producer": {}},
            "profiles": {"isolated": {}},
            "behaviour": {"back_off_ms": [{"value": 100, "source": "none"}]},
            "versions": list(versions),
        }
    )
