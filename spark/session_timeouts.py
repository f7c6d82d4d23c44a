"""Session time-outs of groups (`probe.model.session_timeouts`) as a Spark expression."""

from __future__ import annotations

import re

from probe.model import harm_sql
from probe.model.harm import SESSION_MS, SHORT_SESSION_MS
from probe.model.profile import SHORT
from probe.model.session_timeouts import KEYS, UNITS, timeouts
from spark.encoding import version_place

_KEYS = "|".join(key.replace(".", "[.]") for key in sorted(KEYS))
_UNITS = "|".join(sorted(map(re.escape, UNITS), reverse=True))
_OWN = f"(?<![+])(?:[+][+])*[+]=?(?:{_KEYS})=(0*[1-9][0-9]*)({_UNITS})(?![^+])(?![+][+])"
"""Regular expression of the first session time-out in a written profile: a number above 0 (group 1), its unit (2)."""


def session_ms(cell: str) -> str:
    """Return the expression for the session time-out of a member of a group, in milliseconds.

    `cell` is the prefix of the columns `family`, `version` and `profile`.
    """
    number, unit = (f"regexp_extract({cell}profile, '{_OWN}', {group})" for group in (1, 2))
    factors = " ".join(f"WHEN '{name}' THEN {ms}" for name, ms in UNITS.items())
    short = f"{harm_sql.profile_name(cell)} IN {harm_sql.listed(SHORT)}"
    cases = " ".join(f"WHEN {_covers(cell, row.family, row.until)} THEN {row.ms}" for row in timeouts())
    own = f"CAST({number} AS BIGINT) * CASE {unit} {factors} END"
    return f"CASE WHEN {number} <> '' THEN {own} WHEN {short} THEN {SHORT_SESSION_MS} {cases} ELSE {SESSION_MS} END"


def _covers(cell: str, family: str, until: str) -> str:
    """Return the expression for whether a row of the table covers a cell."""
    earlier = f" AND {version_place(f'{cell}version')} <= {version_place(repr(until))}" if until else ""
    return f"({cell}family = '{family}'{earlier})"
