"""The table of engines: a row each, and what code asks of them."""

from __future__ import annotations

from dataclasses import fields

from probe.model import Engine
from probe.model.engines import BY_ORDER, DEFAULT_ENGINE, ENGINES, REAL, is_default


def test_each_engine_has_a_row() -> None:
    assert list(ENGINES) == list(Engine)


def test_real_brokers_come_first_on_pages_and_fake_ones_run_by_default() -> None:
    assert BY_ORDER == (Engine.KAFKA, Engine.EMBEDDED)
    assert REAL == (Engine.KAFKA,)
    assert [engine for engine in Engine if is_default(engine)] == [DEFAULT_ENGINE] == [Engine.EMBEDDED]


def test_abilities_are_those_that_were_asked_by_name() -> None:
    able = {
        field.name: {engine for engine, info in ENGINES.items() if getattr(info, field.name) is True}
        for field in fields(ENGINES[DEFAULT_ENGINE])
        if isinstance(getattr(ENGINES[DEFAULT_ENGINE], field.name), bool)
    }
    of_real = {name for name, engines in able.items() if engines == {Engine.KAFKA}}
    of_both = {name for name, engines in able.items() if engines == set(Engine)}
    assert of_real == {"real", "cohorts", "streams_groups"}
    assert of_both == {"harmless_election", "counts_cost"}
    assert all(able[name] == {Engine.EMBEDDED} for name in able.keys() - of_real - of_both)
    assert len(able) == 10
