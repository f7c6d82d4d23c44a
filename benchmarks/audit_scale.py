"""CPU of an audit of 100 and of 1,000 go.mod files with sarama, next to osv-scanner's on the same files, in turn.

    python benchmarks/audit_scale.py [--rounds N]

The files name the measured versions of sarama in turn, and thirty other modules each. osv-scanner reads the OSV records
of the evidence that ships; it is left out unless `python -m tests.support.osv_scanner` has built it.
"""

# ruff: noqa: T201  # the figures are the output of this command

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.start import cpu
from probe.cli.wiring.osv_records import osv_files
from probe.evidence import places
from probe.evidence.access import opened
from probe.model.versions import version_key
from probe.toolchain.scanner_build import SCANNER, place

FEW, MANY = 100, 1000
OTHERS = "".join(f"\texample.org/library{nth}/v2 v2.{nth}.1\n" for nth in range(30))


def fill(folder: Path, count: int, versions: list[str]) -> None:
    """Write the files, one per folder."""
    for nth in range(count):
        module = folder / f"service{nth}"
        module.mkdir(parents=True)
        needs = f"require (\n\tgithub.com/IBM/sarama v{versions[nth % len(versions)]}\n{OTHERS})\n"
        (module / "go.mod").write_text(f"module example.org/service{nth}\n\ngo 1.22\n\n{needs}")


def publish(site: Path) -> list[str]:
    """Write the OSV records of the shipped evidence, and return the versions of sarama in it."""
    held = places.shipped()
    if held is None:
        raise SystemExit("no evidence is shipped; `probe publish-evidence` makes it")
    with opened(held.source, held.name, held.digest) as file:
        for name, data in osv_files(file.cells().values(), site).items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_bytes(data)
        return sorted(file.versions("sarama"), key=version_key)


def commands(folder: Path, site: Path) -> Mapping[str, list[str]]:
    """Return the programs to measure, without the folder that they read."""
    os.environ["OSV_SCALIBR_LOCAL_DB_CACHE_DIRECTORY"] = str(site)
    results = str(folder / "results")
    found = {"probe audit": [str(Path(sys.executable).with_name("probe")), "audit", "--results", results]}
    if (scanner := place() / SCANNER).exists():
        found[SCANNER] = [str(scanner), "scan", "source", "--offline", "--no-call-analysis=go", "--recursive"]
    return found


def main() -> None:
    """Measure in turn, and print seconds of CPU and their ratio; the least of the rounds counts."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        versions = publish(folder / "site")
        for count in (FEW, MANY):
            fill(folder / str(count), count, versions)
        every = commands(folder, folder / "site")
        least = {(name, count): float("inf") for name in every for count in (FEW, MANY)}
        for _ in range(asked.rounds):
            for (name, count), held in least.items():
                argv = [*every[name], str(folder / str(count))]
                least[name, count] = min(held, cpu(argv, folder))
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, least of {asked.rounds} rounds")
    for name in every:
        few, many = least[name, FEW], least[name, MANY]
        print(f"{name:<12} {FEW} files {few:.3f} s, {MANY} files {many:.3f} s: {many / few:.1f} times")


if __name__ == "__main__":
    main()
