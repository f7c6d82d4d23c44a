"""An audit as OpenVEX 0.2.0 (https://github.com/openvex/spec/blob/main/OPENVEX-SPEC.md)."""

from __future__ import annotations

import json
from typing import Any

from probe import __version__
from probe.catalogue.scenarios import about
from probe.cells.audit import Finding
from probe.model.run_ids import iso
from probe.reports.audit.result import TOOL, AuditResult
from probe.reports.audit.vex import Statement, document_id, statements

CONTEXT = "https://openvex.dev/ns/v0.2.0"
STATUS = {
    Finding.FAILS: "affected",
    Finding.LIKELY_STOPS: "under_investigation",
    Finding.LIKELY_FAILS: "under_investigation",
    Finding.SUSPECTED: "under_investigation",
    Finding.LOSES: "affected",
    Finding.UNKNOWN: "under_investigation",
    Finding.SUSPECTED_FINE: "under_investigation",
    Finding.LIKELY_FINE: "under_investigation",
    Finding.PASSES: "not_affected",
}
NO_UPGRADE = "No upgrade is known."
"""The specification wants an action for every product that is affected."""


def openvex(audit: AuditResult) -> str:
    """Return an audit as OpenVEX."""
    made = [_statement(one, audit) for one in statements(audit)]
    head = {
        "@context": CONTEXT,
        "@id": document_id(made).urn,
        "author": TOOL,
        "timestamp": iso(audit.moment),
        "version": 1,
        "tooling": f"{TOOL} {__version__}, {audit.question}",
    }
    return json.dumps({**head, "statements": made}, indent=1) + "\n"


def _statement(one: Statement, audit: AuditResult) -> dict[str, Any]:
    story = about(one.worst[1].cell.scenario)
    return {
        "vulnerability": {"name": one.name, **({"description": story} if story else {})},
        "timestamp": iso(one.measured or audit.moment),
        "products": [{"@id": purl, "identifiers": {"purl": purl}} for purl in one.purls],
        "status": STATUS[one.finding],
        **_because(one, audit),
    }


def _because(one: Statement, audit: AuditResult) -> dict[str, str]:
    """Return the reasons that a status needs; a measurement says nothing about the library's code, so no label fits."""
    if one.finding is Finding.PASSES:
        return {"impact_statement": one.notes}
    action = {"action_statement": one.action(audit) or NO_UPGRADE} if STATUS[one.finding] == "affected" else {}
    return {"status_notes": one.notes, **action}
