"""Ids of runs, which begin with the time at which the run began: `20261121T084315Z-3f9a`."""

from __future__ import annotations

from datetime import UTC, datetime

FORM = "%Y%m%dT%H%M%SZ"
"""The time in an id, in UTC."""


def began(run_id: str) -> datetime | None:
    """Return the time at which a run began (UTC), from its id; None if the id has no time."""
    try:
        return datetime.strptime(run_id.partition("-")[0], FORM).replace(tzinfo=UTC)
    except ValueError:
        return None


def iso(moment: datetime) -> str:
    """Return a time as text in seconds, as in the files of runs: `2026-11-21T08:43:15Z`."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
