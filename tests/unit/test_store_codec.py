"""Random events, headers and verdicts are equal after encoding and decoding."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe.model import Event, Facts, Header, History, Verdict, encode
from probe.model.codec import to_json
from probe.model.rows import (
    event_json,
    event_of,
    header_json,
    history_of,
    kind_of,
    source_of,
    verdict_columns,
    verdict_of,
)
from probe.store.rows import trial_row
from probe.store.schemas import TRIAL_SCHEMA, VERDICT_SCHEMA
from tests.support.synthetic_rows import header

INT32 = st.integers(-(2**31), 2**31 - 1)
FLOAT = st.none() | st.floats(allow_nan=False)


def facts() -> st.SearchStrategy[Facts]:
    floats = [name for name, hint in Facts.__annotations__.items() if hint == "float | None"]
    small = [name for name, hint in Facts.__annotations__.items() if hint == "int"]
    maybe = [name for name, hint in Facts.__annotations__.items() if hint == "int | None"]
    return st.builds(
        Facts,
        fault_codes=st.lists(INT32).map(tuple),
        api_versions=st.lists(st.tuples(st.text(), INT32)).map(tuple),
        **dict.fromkeys(floats, FLOAT),
        **dict.fromkeys(small, INT32),
        **dict.fromkeys(maybe, st.none() | INT32),
    )


@given(st.from_type(Event))  # type: ignore[arg-type]  # st.from_type accepts a union, too
@settings(max_examples=300, deadline=None)
def test_events_survive_a_round_trip(event: Event) -> None:
    text = event_json(event)
    assert event_of(source_of(event), kind_of(event), json.loads(text)) == event
    assert text == json.dumps(encode(event), separators=(",", ":"))


@given(st.from_type(Header))
@settings(max_examples=100, deadline=None)
def test_headers_survive_a_round_trip(head: Header) -> None:
    assert history_of(header_json(head), (), (), ()) == History(head, ())
    assert header_json(head) == json.dumps(encode(head), separators=(",", ":"))


@dataclass(frozen=True)
class Alone:
    one: float = 0.5


def test_unusual_values_are_encoded_as_by_the_json_module() -> None:
    for value in (Alone(1.5), Alone(), [Alone(2.0), None, True, -(10**20)], {"\ud800é": {"1": ()}}, "\ud800", 1e300):
        assert to_json(value) == json.dumps(encode(value), separators=(",", ":"))
    with pytest.raises(TypeError):
        to_json({"odd": object()})


@given(st.builds(Verdict, rules=INT32, facts=facts()))
@settings(max_examples=100, deadline=None)
def test_verdicts_survive_a_round_trip_through_parquet(verdict: Verdict) -> None:
    row = {"run_id": "r", "trial": 1, **verdict_columns(verdict)}
    assert set(verdict_columns(verdict)) <= set(VERDICT_SCHEMA.names)
    (back,) = pa.Table.from_pylist([row], schema=VERDICT_SCHEMA).to_pylist()
    assert verdict_of(back) == verdict
    assert set(trial_row("r", History(header(), ()), verdict)) == set(TRIAL_SCHEMA.names)
