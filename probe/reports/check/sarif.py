"""`probe check` as SARIF 2.1.0, by the rules of an audit: a result is a cell that is worse than in the release."""

from __future__ import annotations

from typing import Any

from probe.cells.cell_names import cell_name
from probe.cells.change_words import sentence
from probe.cells.comparison import Answer, Compared
from probe.cells.finding_ids import finding_id
from probe.inventory.entries import Place
from probe.model.harm import Harm
from probe.reports.audit.sarif import ERROR, FINGERPRINT, accepted_because, digest, log, note, physical, rule
from probe.reports.check.result import CheckResult, basis

LEVELS = {Harm.STOPS: ERROR, Harm.STALLS: "warning", Harm.ERRORS: "note"}


def sarif(check: CheckResult) -> str:
    """Return a check as SARIF."""
    worse = [one for one in check.found if one.answer is Answer.WORSE]
    cells = {finding_id(one.step.after.cell): one.step.after.cell for one in worse}
    rules = [rule(name, cells[name]) for name in sorted(cells)]
    places = {one["id"]: number for number, one in enumerate(rules)}
    notes = [note(check.headline), *(note(str(one)) for one in check.accepted.stale)]
    return log(rules, [_result(check, one, places) for one in worse], notes, check.moment)


def _result(check: CheckResult, one: Compared, places: dict[str, int]) -> dict[str, Any]:
    cell = one.step.after.cell
    name = finding_id(cell)
    accepted = check.reason_for(one)
    words = f"{sentence(one)}. {basis(one)}. {one.step.after.reason.rstrip('.')}. {check.command(one)}"
    return {
        "ruleId": name,
        "ruleIndex": places[name],
        "level": LEVELS[one.harm],
        "message": {"text": words},
        "locations": [_location(check)],
        "partialFingerprints": {FINGERPRINT: digest([cell.family, cell_name(cell)])},
        **({"suppressions": [accepted_because(accepted)]} if accepted else {}),
        "properties": {**cell.columns(), "release": str(check.release), "command": check.command(one)},
    }


def _location(check: CheckResult) -> dict[str, Any]:
    named = {"logicalLocations": [{"fullyQualifiedName": str(check.build)}]}
    if not check.manifest:
        return named
    return {"physicalLocation": physical(Place(check.manifest, 1)), **named}
