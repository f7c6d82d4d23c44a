"""The columns of harm in the benchmark's SQL for DuckDB, by the table of `probe.model.harm_rules`."""

# ruff: noqa: S608  # every part of a query is a constant

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from probe.model import harm_sql
from probe.model.harm import EVERYTHING_WORD, PARTITION_WORD, Harm
from tests.support.duckdb_harm import SESSION

GRAVEST = f"""max(struct_pack(rank := rank, silent := rank = {int(Harm.STOPS)} AND {harm_sql.is_silent("", "")},
    stalls_ms := CASE WHEN rank = {int(Harm.STALLS)} THEN {harm_sql.stalls_ms("")} ELSE 0 END,
    everything := {harm_sql.is_everywhere("", "")}, after_heal := coalesce(after_heal, '')))"""
"""The gravest harm of some trials, which have their rank and the bounds of their cell."""
GRAVES = f"""bounded AS (
    SELECT *, {harm_sql.bound_ms("", SESSION)} AS bound_ms, {harm_sql.errors_count("")} AS errors_count FROM mine),
harming AS (SELECT *, {harm_sql.rank("", "")} AS rank FROM bounded WHERE {harm_sql.is_about_client("", "")}),
graves AS (
    SELECT {{cell}}, max(gravest) AS gravest,
        string_agg({harm_sql.word("rank")} || ':' || trials, ';' ORDER BY rank DESC) AS harms
    FROM (SELECT {{cell}}, rank, {GRAVEST} AS gravest, count(*) AS trials FROM harming GROUP BY {{cell}}, rank)
    GROUP BY {{cell}})"""
"""Parts of a query: the gravest harm of each cell of `mine`, and the number of its trials per harm."""
SETTLED: Mapping[str, str] = MappingProxyType(
    {
        "harm": harm_sql.word("gravest.rank"),
        "silent": f"CASE WHEN gravest.rank = {int(Harm.STOPS)} THEN if(gravest.silent, 'yes', 'no') END",
        "stalls_ms": f"CASE WHEN gravest.rank = {int(Harm.STALLS)} "
        "THEN CAST(floor(round(gravest.stalls_ms, 6) + 0.5) AS BIGINT) END",
        "scope": f"CASE WHEN gravest.rank IN {harm_sql.SCOPED_RANKS} "
        f"THEN if(gravest.everything, '{EVERYTHING_WORD}', '{PARTITION_WORD}') END",
    }
)
"""The expressions of the columns, from `gravest`; `harms` is there."""
