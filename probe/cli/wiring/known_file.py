"""`--known FILE`: the findings of an earlier audit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probe.cells.audit import Report
from probe.errors import ProbeError, reason_of
from probe.reports.audit.known_findings import accepted_as_known, read_sarif

LONGEST = 64 * 1024 * 1024
"""Bytes of a SARIF log that are read; a longer one is cut, and so is none."""


def without_known(path: Path | None, reports: Sequence[Report]) -> list[Report]:
    """Return the reports with what an earlier audit found accepted. ProbeError if its file cannot be read."""
    if path is None:
        return list(reports)
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST)
        known = read_sarif(data.decode())
    except OSError as error:
        raise ProbeError(f"--known {path} cannot be read: {reason_of(error)}; name the SARIF of an audit") from None
    except ValueError as error:
        raise ProbeError(f"--known {path}: {error}; name what `probe audit --format sarif` wrote") from None
    return [accepted_as_known(report, known, f"known from {path}") for report in reports]
