"""Measured failures with a remedy as records of the OSV schema (https://ossf.github.io/osv-schema/). Pure.

There is one record per library, scenario, role and workload, where a version fails in every trial of a core scenario or
of an incident and a later version conforms, with the library's default settings. A version without a remedy has no
record.
A range stands only where every release in it, and those on both sides, are measured neighbours; the versions that fail
are listed in any case. Versions of wrappers are listed by the library inside them.

Dates are those of the runs, so that the same evidence gives the same bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from probe.catalogue.packages import Package, Packages
from probe.catalogue.scenarios import CORE_FAULTS, INCIDENTS, about
from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harm_in
from probe.cells.finding_ids import finding_id
from probe.cells.series import Series, series
from probe.model import Cell
from probe.model.harm import Harm
from probe.model.profile import DEFAULT_PROFILE
from probe.model.run_ids import began, iso
from probe.model.versions import version_key

Record = Mapping[str, Any]
"""One record as JSON."""

SCHEMA = "1.6.7"
"""Version of the OSV schema: https://github.com/ossf/osv-schema/releases/tag/v1.6.7."""
PROFILE = DEFAULT_PROFILE
"""The configuration whose cells make records."""
ECOSYSTEMS: Mapping[str, tuple[str, str]] = {
    "golang": ("Go", "SEMVER"),
    "npm": ("npm", "SEMVER"),
    "cargo": ("crates.io", "SEMVER"),
    "pypi": ("PyPI", "ECOSYSTEM"),
    "maven": ("Maven", "ECOSYSTEM"),
    "nuget": ("NuGet", "ECOSYSTEM"),
}
"""By type of package URL: the name of the ecosystem, and how its versions are ordered."""
NO_DATE = datetime(1970, 1, 1, tzinfo=UTC)
"""The date of a run whose id has none."""
NOTE = (
    "This is a measured behaviour of the library when brokers fail, not a security vulnerability. A version that is "
    "not named here was not measured, or has another result."
)


@dataclass(frozen=True, slots=True)
class Affected:
    """The part of one record that is about one package."""

    package: Package
    versions: tuple[str, ...]
    ranges: tuple[tuple[str, str], ...]
    """First failing and first conforming version."""


def is_recorded(cell: Cell) -> bool:
    """Return whether a cell may be part of a record."""
    named = cell.scenario in CORE_FAULTS or cell.scenario.startswith(INCIDENTS)
    return named and cell.profile == PROFILE


def records(cells: Iterable[SettledCell], packages: Packages) -> dict[str, Record]:
    """Return the records of settled cells by id."""
    found: dict[str, list[Series]] = {}
    for one in series(item for item in cells if is_recorded(item.cell)).values():
        if one.mended():
            found.setdefault(finding_id(one.cells[0].cell), []).append(one)
    made = ((name, _record(name, lines, packages)) for name, lines in sorted(found.items()))
    return {name: record for name, record in made if record["affected"]}


def _record(name: str, lines: Sequence[Series], packages: Packages) -> Record:
    cell = lines[0].cells[0].cell
    mended = [one for line in lines for one in line.mended()]
    return {
        "schema_version": SCHEMA,
        "id": name,
        "modified": iso(newest(one.run_id for line in lines for one in line.cells)),
        "summary": f"{cell.family} as {cell.role} in {cell.scenario}{cell.unusual}: {_worded(mended)}",
        "details": _details(cell, lines),
        "affected": _all_affected(lines, packages),
        "database_specific": {
            "scenario": cell.scenario,
            "role": str(cell.role),
            "library": cell.family,
            "workload": str(cell.workload),
            "harm": max(_ranks(mended), default=Harm.NONE).word,
        },
    }


def _worded(cells: Sequence[SettledCell]) -> str:
    """Return the harms of cells, the worst first, and in brackets their outcomes."""
    outcomes = sorted({one.worst.replace("_", " ") for one in cells})
    harms = [harm.word for harm in sorted(set(_ranks(cells)), reverse=True)]
    return f"{', '.join(harms)} ({', '.join(outcomes)})"


def _ranks(cells: Iterable[SettledCell]) -> list[Harm]:
    return [harm.rank for one in cells if (harm := harm_in(one)) is not None]


def newest(run_ids: Iterable[str]) -> datetime:
    """Return the start of the newest of several runs; `NO_DATE` if no run has a date."""
    return max((began(run_id) or NO_DATE for run_id in run_ids), default=NO_DATE)


def _details(cell: Cell, lines: Sequence[Series]) -> str:
    measured = [f"- {_line(line)}" for line in lines]
    return "\n\n".join(filter(None, [about(cell.scenario), "\n".join(["Measured:", "", *measured]), NOTE]))


def _line(line: Series) -> str:
    cell = line.cells[0].cell
    bad = line.mended()
    good = line.first_good(bad[-1])
    remedy = f"; {good.cell.version} is the first later version measured that conforms" if good else ""
    tallies = ", ".join(f"{one.cell.version} {one.outcomes.replace(';', ' ')}" for one in bad)
    return f"{cell.engine} brokers {cell.broker}: {tallies} (outcome:trials){remedy}."


def _all_affected(lines: Sequence[Series], packages: Packages) -> list[dict[str, Any]]:
    found: dict[Affected, list[Series]] = {}
    for line in lines:
        for one in _affected(line, packages):
            found.setdefault(one, []).append(line)
    ordered = sorted(found.items(), key=lambda item: (item[0].package.ecosystem, item[0].package.name))
    return [_entry(one, of) for one, of in ordered]


def _affected(line: Series, packages: Packages) -> list[Affected]:
    versions: dict[Package, list[str]] = {}
    for one in line.mended():
        known = (item for item in packages.containing(one.cell.client) if item[0].ecosystem in ECOSYSTEMS)
        for package, those in known:
            versions.setdefault(package, []).extend(those)
    return [
        Affected(
            package,
            tuple(sorted(dict.fromkeys(those), key=version_key)),
            tuple(line.ranges()) if packages.is_own(package) else (),
        )
        for package, those in versions.items()
    ]


def _entry(one: Affected, lines: Sequence[Series]) -> dict[str, Any]:
    ecosystem, order = ECOSYSTEMS[one.package.ecosystem]
    events = [[{"introduced": first}, {"fixed": fixed}] for first, fixed in one.ranges]
    return {
        "package": {"ecosystem": ecosystem, "name": one.package.name, "purl": one.package.purl()},
        **({"ranges": [{"type": order, "events": pair} for pair in events]} if events else {}),
        "versions": list(one.versions),
        "database_specific": {"measured": [_measured(line) for line in lines]},
    }


def _measured(line: Series) -> dict[str, Any]:
    cell = line.cells[0].cell
    return {
        "engine": str(cell.engine),
        "broker": cell.broker,
        "fails": {one.cell.version: one.outcomes for one in line.mended()},
        "harm": {one.cell.version: harm.words for one in line.mended() if (harm := harm_in(one)) is not None},
        "conforms": [one.cell.version for one in line.cells if one.conforms],
    }


def withdraw(earlier: Mapping[str, Record], made: Mapping[str, Record], moment: datetime) -> dict[str, Record]:
    """Return the records, and those of before that the evidence does not support any more, withdrawn at `moment`."""
    gone = {name: record for name, record in earlier.items() if name not in made}
    date = {"modified": iso(moment), "withdrawn": iso(moment)}
    withdrawn = {name: record if "withdrawn" in record else {**record, **date} for name, record in gone.items()}
    return dict(sorted({**withdrawn, **made}.items()))


def archives(found: Mapping[str, Record]) -> dict[str, bytes]:
    """Return a zip file of records per ecosystem, with one file per record; the same records give the same bytes."""
    by_ecosystem: dict[str, dict[str, Record]] = {}
    for name, record in sorted(found.items()):
        for affected in record["affected"]:
            by_ecosystem.setdefault(affected["package"]["ecosystem"], {})[name] = record
    return {ecosystem: _archive(own) for ecosystem, own in sorted(by_ecosystem.items())}


def _archive(found: Mapping[str, Record]) -> bytes:
    out = io.BytesIO()
    # stored, since compressed bytes depend on the version of zlib
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, record in found.items():
            member = zipfile.ZipInfo(f"{name}.json")
            member.create_system, member.external_attr = 3, 0o644 << 16
            archive.writestr(member, json.dumps(record, indent=1) + "\n")
    return out.getvalue()


def read_archive(data: bytes) -> dict[str, Record]:
    """Return the records of an archive by id. ValueError if it is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = [json.loads(archive.read(name)) for name in archive.namelist()]
        return {str(record["id"]): record for record in found if record["affected"]}
    except (zipfile.BadZipFile, KeyError, TypeError, EOFError) as error:
        raise ValueError(f"it is no archive of records: {error}") from None
