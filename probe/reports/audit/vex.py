"""Statements of an audit about each library version and finding, in both VEX formats.

VEX speaks of packages, an audit of services with settings. The worst finding of all services with the same library
version is the statement about the package; its notes name the services.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from probe.cells.audit import ORDER, TOLD, Fault, Finding, Report
from probe.cells.fault_words import is_by_own_settings, proof, unknown_reason
from probe.model.run_ids import began
from probe.reports.audit.lines import driven_as, fault_line
from probe.reports.audit.result import AuditResult

SPACE = uuid.uuid5(uuid.NAMESPACE_OID, "kafka-metadata-probe")
"""Name space of the ids of documents."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A finding of one library version."""

    name: str
    """Id of the finding."""
    client: str
    """The library as FAMILY@VERSION."""
    purls: tuple[str, ...]
    found: tuple[tuple[Report, Fault], ...]
    """The services with this library version, the worst finding first."""

    @property
    def worst(self) -> tuple[Report, Fault]:
        """The service that decides, and its fault."""
        return self.found[0]

    @property
    def finding(self) -> Finding:
        """The worst finding."""
        return self.worst[1].finding

    @property
    def measured(self) -> datetime | None:
        """When the evidence was measured; None without evidence."""
        evidence = self.worst[1].evidence
        return began(evidence.run_id) if evidence is not None else None

    @property
    def notes(self) -> str:
        """Findings about each service."""
        return " ".join(f"{_note(report, fault)}." for report, fault in self.found)

    def action(self, audit: AuditResult) -> str:
        """Return what to do, as sentences."""
        accepted = self.worst[1].ignored
        if accepted:
            return f"Accepted: {accepted}."
        advice = (audit.advice(report, fault) for report, fault in self.found if fault.finding in TOLD)
        return " ".join(f"{one}." for one in dict.fromkeys(advice))


def statements(audit: AuditResult) -> list[Statement]:
    """Return the statements by finding and library. Services without a known package have none."""
    made: list[Statement] = []
    for name, pairs in audit.by_id().items():
        clients: dict[str, list[tuple[Report, Fault]]] = {}
        for report, fault in pairs:
            clients.setdefault(report.stands_for, []).append((report, fault))
        made += [_statement(name, client, of, audit) for client, of in sorted(clients.items())]
    return [one for one in made if one.purls]


def document_id(texts: object) -> uuid.UUID:
    """Return the id of a document by its content: the same content has the same id."""
    return uuid.uuid5(SPACE, str(texts))


def libraries(made: Sequence[Statement]) -> Mapping[str, tuple[str, ...]]:
    """Return the package URLs of every library in statements, by FAMILY@VERSION."""
    return {one.client: one.purls for one in made}


def _statement(name: str, client: str, found: list[tuple[Report, Fault]], audit: AuditResult) -> Statement:
    ordered = sorted(found, key=lambda pair: _rank(pair[1]))
    purls = dict.fromkeys(purl for report, _ in ordered for purl in audit.purls(report))
    return Statement(name, client, tuple(purls), tuple(ordered))


def _rank(fault: Fault) -> tuple[bool, bool, int, int]:
    """Order what counts before what is accepted, and that before what passes or is not known."""
    return fault.finding not in TOLD, bool(fault.ignored), ORDER.index(fault.finding), -fault.grade


def _note(report: Report, fault: Fault) -> str:
    known = fault.finding is not Finding.UNKNOWN
    what = f"{fault_line(fault)}. {proof(fault)}" if known else f"not known ({unknown_reason(fault)})"
    profile = "" if known and is_by_own_settings(fault) else f", profile {fault.cell.profile}"
    return f"{report.name} ({driven_as(report)}{profile}): {what.rstrip('.')}"
