"""Random events, headers and verdicts are equal after encoding and decoding."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe.model import Event, Facts, Header, History, Outcome, Verdict, encode
from probe.model.codec import decode, to_json
from probe.model.results import IDENTITY
from probe.model.rows import (
    EVENT,
    TRIAL,
    by_trial,
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
"""Whatever a trial can have: what is no number equals nothing, not even itself."""


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


@given(st.builds(replace, st.from_type(Header), phase=FLOAT))
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


@dataclass(frozen=True, slots=True)
class Slotted:
    number: int
    outcome: Outcome
    label: str | None = None
    names: tuple[str, ...] = ()
    words: dict[str, str] = field(default_factory=dict)


def test_classes_with_slots_are_read() -> None:
    whole = Slotted(1, Outcome.STUCK, "x", ("a", "b"), {"k": "v"})
    assert decode(Slotted, {**encode(whole), "unknown": 1}) == whole
    assert decode(Slotted, {"number": "7", "outcome": "stuck", "label": None}) == Slotted(7, Outcome.STUCK)
    one, two = (decode(Slotted, {"number": 1, "outcome": "stuck"}) for _ in range(2))
    assert one.words == {}
    assert one.words is not two.words
    with pytest.raises(AttributeError):
        one.number = 2  # type: ignore[misc]  # frozen


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([], "is no object"),
        (None, "is no object"),
        ("text", "is no object"),
        ({"outcome": "stuck"}, "Slotted lacks 'number'"),
        ({"number": 1, "outcome": "unheard of"}, "unheard of"),
        ({"number": 1, "outcome": []}, "unhashable|not a valid"),
        ({"number": "many", "outcome": "stuck"}, "many"),
        ({"number": 1, "outcome": "stuck", "names": 5}, "not iterable"),
    ],
)
def test_data_that_do_not_fit_a_class_with_slots_are_refused(data: object, reason: str) -> None:
    with pytest.raises((TypeError, ValueError), match=reason):
        decode(Slotted, data)


def test_events_are_grouped_in_any_order() -> None:
    rows = [
        {
            **dict.fromkeys(IDENTITY, "x"),
            "version": version,
            "trial": trial,
            "seq": seq,
            "source": "app",
            "kind": "sent",
        }
        for version in "12"
        for trial in range(3)
        for seq in range(4)
    ]
    rows = [{**row, "data": f"{row['version']}.{row['trial']}.{row['seq']}"} for row in rows]
    shuffled = random.Random(1).sample(rows, len(rows))
    cut = [pa.Table.from_pylist(part) for part in (rows[:5], rows[5:])]
    words = {
        name: pa.chunked_array([part[name].combine_chunks().dictionary_encode() for part in cut]) for name in IDENTITY
    }
    whole = pa.concat_tables(cut)
    coded = pa.table({name: words.get(name, whole[name]) for name in whole.column_names})
    expected = {
        (*("x" if name != "version" else version for name in IDENTITY), trial): (
            ["app"] * 4,
            ["sent"] * 4,
            [f"{version}.{trial}.{seq}" for seq in range(4)],
        )
        for version in "12"
        for trial in range(3)
    }
    for table in (whole, coded, pa.Table.from_pylist(shuffled)):
        assert by_trial(table) == expected
    assert by_trial(whole.slice(0, 0)) == {}
    with pytest.raises(KeyError):
        by_trial(whole.select([*TRIAL, *EVENT]))
