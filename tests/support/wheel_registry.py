"""Small families of wheels for tests, with a folder that replaces the package registry."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probe.catalogue.families import Family
from probe.errors import ProvisionError

DRIVER = """import argparse, pathlib, sys
parser = argparse.ArgumentParser()
parser.add_argument("--library")
parser.add_argument("--local")
parser.add_argument("--report", action="store_true")
sys.path.insert(0, parser.parse_args().library)
import toy
print(toy.__version__)
"""


@dataclass
class Registry:
    """A replacement of probe.toolchain.pip that records the downloads."""

    folder: Path
    down: bool = False
    downloads: list[tuple[str, ...]] = field(default_factory=list)

    def add(
        self, artifact: str, reports: str = "", tag: str = "py3-none-any", name: str = "toy", code: str = ""
    ) -> str:
        """Publish a wheel whose module reports a version; return the digest."""
        file = self.folder / f"{name}-{artifact}-{tag}.whl"
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(f"{name}/__init__.py", f"__version__ = {reports or artifact!r}\n{code}")
            archive.writestr(f"{name}-{artifact}.data/purelib/{name}/moved.py", "")
        return f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"

    def versions(self, name: str, python: str = "") -> list[str]:
        if self.down:
            raise ProvisionError(f"{name}: the package registry cannot be reached")
        return sorted((file.name.split("-")[1] for file in self.folder.glob(f"{name}-*.whl")), reverse=True)

    def download(self, requirements: Sequence[str], folder: Path, python: str = "") -> list[Path]:
        self.downloads.append((*requirements, *([f"for {python}"] if python else [])))
        if self.down:
            raise ProvisionError("the package registry cannot be reached")
        files = []
        for requirement in requirements:
            name, _, artifact = requirement.partition("==")
            found = list(self.folder.glob(f"{name}-{artifact}-{f'cp{python}' if python else ''}*.whl"))
            if not found:
                raise ProvisionError(f"{requirement}: not there")
            files.append(folder / found[0].name)
            files[-1].write_bytes(found[0].read_bytes())
        return files


def toy_family(
    clients: Path,
    versions: Sequence[dict[str, Any]],
    extra: Sequence[str] = (),
    pythons: Sequence[dict[str, str]] = (),
) -> Family:
    """Return a family `toy` of wheels; its driver is below `clients` and only reports its version."""
    (clients / "toy").mkdir(parents=True, exist_ok=True)
    (clients / "toy" / "toy_driver.py").write_text(DRIVER)
    return Family.model_validate(
        {
            "family": "toy",
            "title": "Toy",
            "about": "",
            "driver": "toy_driver.py",
            "instances_per_process": 1,
            "core": ["latest"],
            "source": {"kind": "wheel", "name": "toy", "extra": list(extra), "pythons": list(pythons)},
            "roles": {"producer": {}},
            "profiles": {"isolated": {}},
            "behaviour": {"back_off_ms": [{"value": 100, "source": "none"}]},
            "versions": list(versions),
        }
    )
