"""An audit as CycloneDX VEX, version 1.6 (https://cyclonedx.org/docs/1.6/json/): a BOM with analysed findings."""

from __future__ import annotations

import json
from typing import Any

from probe import __version__
from probe.catalogue.scenarios import about
from probe.cells.audit import Finding
from probe.model.run_ids import iso
from probe.reports.audit.result import TOOL, AuditResult
from probe.reports.audit.vex import Statement, document_id, libraries, statements

VERSION = "1.6"
STATES = {
    Finding.FAILS: "exploitable",
    Finding.LIKELY_STOPS: "in_triage",
    Finding.LIKELY_FAILS: "in_triage",
    Finding.SUSPECTED: "in_triage",
    Finding.LOSES: "exploitable",
    Finding.UNKNOWN: "in_triage",
    Finding.SUSPECTED_FINE: "in_triage",
    Finding.LIKELY_FINE: "in_triage",
    Finding.PASSES: "not_affected",
}


def cyclonedx(audit: AuditResult) -> str:
    """Return an audit as CycloneDX VEX."""
    made = statements(audit)
    body = {
        "components": [_component(client, purls[0]) for client, purls in sorted(libraries(made).items())],
        "vulnerabilities": [_vulnerability(one, audit) for one in made],
    }
    head = {
        "$schema": f"http://cyclonedx.org/schema/bom-{VERSION}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": VERSION,
        "serialNumber": document_id(body).urn,
        "version": 1,
        "metadata": {
            "timestamp": iso(audit.moment),
            "tools": {"components": [{"type": "application", "name": TOOL, "version": __version__}]},
            "properties": [{"name": f"{TOOL}:asked", "value": str(audit.question)}],
        },
    }
    return json.dumps(head | body, indent=1) + "\n"


def _component(client: str, purl: str) -> dict[str, Any]:
    name, _, version = client.partition("@")
    return {"type": "library", "bom-ref": client, "name": name, "version": version, "purl": purl}


def _vulnerability(one: Statement, audit: AuditResult) -> dict[str, Any]:
    fault = one.worst[1]
    story = about(fault.cell.scenario)
    action = one.action(audit)
    date = {"updated": iso(one.measured)} if one.measured else {}
    return {
        "bom-ref": f"{one.name}/{one.client}",
        "id": one.name,
        "source": {"name": TOOL},
        **({"description": story} if story else {}),
        **({"recommendation": action} if action else {}),
        **date,
        "analysis": {
            "state": STATES[one.finding],
            **({"response": ["will_not_fix"]} if fault.ignored and one.finding is Finding.FAILS else {}),
            "detail": one.notes,
        },
        "affects": [{"ref": one.client}],
    }
