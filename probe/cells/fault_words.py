"""Words for the evidence behind a fault, for every output of look-ups and audits. Pure."""

from __future__ import annotations

from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault
from probe.cells.causes import is_mended_by_acks
from probe.cells.citations import never_measured, rests_on
from probe.cells.log_in_words import log_in_remarks
from probe.cells.loss_words import loss_remarks

ACKS_ALL = "acks=all"
"""The setting that mends a loss of records which only the leader had."""
_PARTS = ("harm", "silently", "stalls_s", "everything", "restart_helps", "mended_by")


def doubt(fault: Fault) -> str:
    """Return in brackets what was measured in place of the client as it is; empty if it was measured itself."""
    settings = "with the library's own settings" if is_by_own_settings(fault) else ""
    measured = ", ".join(filter(None, (fault.stand_in, settings)))
    return f" ({measured})" if measured else ""


def is_by_own_settings(fault: Fault) -> bool:
    """Return whether the evidence is of the library's own settings, since those of the service were not measured."""
    return fault.evidence is not None and fault.evidence.cell.profile != fault.cell.profile


def shown(fault: Fault) -> str:
    """Return what the evidence shows: the outcome with its trials, and where these ran if not on the asked line."""
    if fault.evidence is None:
        return "never measured"
    return never_measured(fault.cell, fault.evidence) or fault.evidence.result


def in_harm(fault: Fault) -> str:
    """Return the harm before an outcome: `stops silently; `; empty where there is none, or none is known."""
    harm = fault.harm
    return f"{harm.words}; " if harm is not None and harm.rank else ""


def harm_columns(fault: Fault) -> dict[str, str | float | bool | None]:
    """Return the harm of a fault for JSON, and what mends it but for upgrades; empty and null where it is unknown."""
    harm = fault.harm
    if harm is None:
        return {**dict.fromkeys(_PARTS), "harm": "", "mended_by": ""}
    worst = harm.worst
    stalls_s = round(worst.stalls_ms / 1000, 1) if worst.stalls_ms else None
    return {
        "harm": harm.rank.word,
        "silently": worst.silently,
        "stalls_s": stalls_s,
        "everything": worst.everything,
        "restart_helps": fault.restart_helps,
        "mended_by": ACKS_ALL if is_mended_by_acks(fault) else fault.helped_by,
    }


def remarks(answer: SettledCell) -> list[str]:
    """Return what an outcome does not say: lost records, log-ins, too few trials, why a standstill has no end."""
    return [*loss_remarks(answer), *log_in_remarks(answer), *filter(None, [answer.chance, answer.keeps])]


def reason(fault: Fault) -> str:
    """Return the reason of the evidence; empty without evidence."""
    return fault.evidence.reason if fault.evidence else ""


def proof(fault: Fault) -> str:
    """Return the reason of the evidence, and in brackets where it is from and how old it is; empty without evidence."""
    if fault.evidence is None:
        return ""
    sources = "; ".join(rests_on(fault.evidence))
    return f"{reason(fault).rstrip('.')} ({sources})" if sources else reason(fault)


def unknown_reason(fault: Fault) -> str:
    """Return why a finding is not known."""
    if fault.evidence is None:
        return "never measured"
    return f"{shown(fault)}{doubt(fault)}: {'; '.join([*remarks(fault.evidence), proof(fault)])}"
