"""The harm of a cell's trials as Spark expressions: `probe.model.harm_sql` over the list of its trials."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql.types import StructType

from probe.model import harm_sql
from probe.model.harm import EVERYTHING_WORD, PARTITION_WORD, Harm
from spark.schema import columns
from spark.session_timeouts import session_ms

HARM: StructType = columns("rank INT, silent BOOLEAN, stalls_ms DOUBLE, everything BOOLEAN, after_heal STRING")
"""`probe.model.harm.TrialHarm` with its fields in their order, so that the gravest is the greatest."""
_CELL, _TRIAL = "common.", "trial."
BOUNDS = (
    f"{harm_sql.bound_ms(_CELL, session_ms(_CELL))} {harm_sql.BOUND}",
    f"{harm_sql.errors_count(_CELL)} {harm_sql.COUNT}",
)
"""The columns with the bounds of a cell, which `harms` needs."""


def harms() -> str:
    """Return the expression for the harms of those of the trials `reported` that say something about the client."""
    parts = {
        "rank": "rank",
        "silent": f"rank = {int(Harm.STOPS)} AND {harm_sql.is_silent(_TRIAL, _CELL)}",
        "stalls_ms": f"CASE WHEN rank = {int(Harm.STALLS)} THEN {harm_sql.stalls_ms(_TRIAL)} ELSE 0D END",
        "everything": harm_sql.is_everywhere(_TRIAL, _CELL),
        "after_heal": "coalesce(trial.after_heal, '')",
    }
    one = f"named_struct({', '.join(f'{name!r}, {parts[name]}' for name in HARM.names)})"
    ranked = f"transform(array({harm_sql.rank(_TRIAL, _CELL)}), rank -> {one})[0]"
    return f"transform(filter(reported, trial -> {harm_sql.is_about_client(_TRIAL, _CELL)}), trial -> {ranked})"


def counted() -> str:
    """Return the expression for the column `harms`."""
    of_rank = (f"filter(harms, one -> one.rank = {int(harm)})" for harm in sorted(Harm, reverse=True))
    texts = (
        f"if(size({those}) > 0, concat('{harm.word}:', size({those})), NULL)"
        for harm, those in zip(sorted(Harm, reverse=True), of_rank, strict=True)
    )
    return f"nullif(concat_ws(';', {', '.join(texts)}), '')"


def harm_columns() -> Mapping[str, str]:
    """Return the expressions for the columns of the matrix, from `gravest` and `harms`."""
    stops, stalls = (f"gravest.rank = {int(harm)}" for harm in (Harm.STOPS, Harm.STALLS))
    scope = f"if(gravest.everything, '{EVERYTHING_WORD}', '{PARTITION_WORD}')"
    return {
        "harm": harm_sql.word("gravest.rank"),
        "harms": "harms",
        "silent": f"if({stops}, if(gravest.silent, 'yes', 'no'), NULL)",
        "stalls_ms": f"if({stalls}, floor(round(gravest.stalls_ms, 6) + 0.5D), NULL)",
        "scope": f"if(gravest.rank IN {harm_sql.SCOPED_RANKS}, {scope}, NULL)",
    }
