"""The tables of facts and columns, and the stored form of facts."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields

import pytest

from probe.model import AfterHeal, Facts, Header, Rescuer, StormBound, Trigger, decode
from probe.model.codec import to_json
from probe.model.columns import COLUMNS, FACTS, KEY, NAMES, ORIGIN, SHOWN, TIMES, VERDICT
from probe.model.results import fact_columns, facts_of
from probe.model.schema import Aggregate, Column, Type, type_of, types_of
from probe.store.json_schemas import docs
from tests.support.synthetic_rows import header

PUBLISHED = tuple(
    """
    family version role profile scenario engine broker outcome conforms reality trials agreeing watched_ms fault_codes
    api_versions fault_hits hits_before_ask refresh_trigger refresh_ms_p50 refresh_ms_p95 refreshes_max storm
    connects_max reroute rescued_by recovered recovery_ms_p50 recovery_ms_p95 outage_ms_max after_heal close_ms_max
    errors_surfaced failed_ops_max first_error futile_requests_per_s futile_per_op bystander_gap_ms_max
    bystander_errors acked lost duplicated reordered position_jump_max released mirrors reason run_id
    conditions
    """.split()  # noqa: SIM905  # one name a line would take 48 lines
)
NUMBERS = {Type.BIGINT, Type.DOUBLE}
FITTING = {
    Aggregate.MEDIAN: NUMBERS,
    Aggregate.P95: NUMBERS,
    Aggregate.LEAST: NUMBERS,
    Aggregate.GREATEST: {*NUMBERS, Type.INT, Type.STRING},
    Aggregate.COMMONEST: {Type.STRING},
    Aggregate.ALL: {Type.BOOLEAN},
    Aggregate.UNION: {Type.CODES, Type.VERSIONS, Type.STRING},
}
COMBINED = {Aggregate.HARM, Aggregate.OTHERS}
"""Aggregates that follow from several facts, or from other cells."""
SOURCES = {**KEY, **VERDICT, **ORIGIN, **FACTS}


def test_published_columns_keep_their_place() -> None:
    assert NAMES[: len(PUBLISHED)] == PUBLISHED
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_a_column_fits_the_type_of_its_source(column: Column) -> None:
    if column.aggregate in COMBINED:
        assert not column.source
    elif column.aggregate is not Aggregate.VOTE:
        assert SOURCES[column.source] in FITTING.get(column.aggregate, {Type.STRING})
    assert bool(column.label) == (column.source in FACTS)
    if column.label:
        assert column.text.endswith(".")
        assert (column.type in NUMBERS) == (FACTS[column.source] in NUMBERS)


def test_columns_on_the_site_follow_the_order_of_the_facts() -> None:
    places = [list(FACTS).index(column.source) for column in SHOWN]
    assert places == sorted(places)
    assert len({column.label for column in SHOWN}) == len(SHOWN)


def test_every_fact_has_a_docstring() -> None:
    assert list(docs(Facts)) == list(FACTS) == [field.name for field in fields(Facts)]
    assert {FACTS[name] for name in TIMES} == {Type.DOUBLE}


def test_the_type_of_a_column_follows_the_hint_of_its_field() -> None:
    assert type_of(Trigger | None) is type_of(str) is Type.STRING
    assert type_of(bool | None) is Type.BOOLEAN
    assert type_of(tuple[int, ...]) is Type.CODES

    @dataclass
    class Odd:
        one: dict[str, int]

    with pytest.raises(TypeError, match="has no column type"):
        types_of(Odd)


def test_enum_values_are_stored_as_text() -> None:
    columns = fact_columns(Facts())
    assert [(columns[name], type(columns[name])) for name in ("rescued_by", "after_heal", "storm")] == [("", str)] * 3
    facts = Facts(rescued_by=Rescuer.RETRY, after_heal=AfterHeal.STUCK, storm=StormBound.IDLE + StormBound.FUTILE)
    stored = fact_columns(facts)
    assert [stored[name] for name in ("rescued_by", "after_heal", "storm")] == ["retry", "stuck", "ad"]
    assert facts_of(stored) == facts
    assert not Rescuer.NONE
    assert not AfterHeal.NONE


def test_committed_offsets_are_stored_with_text_keys() -> None:
    head = header(committed={3: 70})
    stored = json.loads(to_json(head))
    assert stored["committed"] == {"3": 70}
    assert decode(Header, stored) == head
