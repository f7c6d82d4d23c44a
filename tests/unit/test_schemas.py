"""Stored rows and JSON output match the schemas of docs/schema, and these match the model."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.model import Facts, Outcome, Verdict
from probe.store import RunStore
from probe.store.json_schemas import docs, documents, text
from probe.store.schema_outcomes import with_outcomes
from tests.support.synthetic_rows import CELL, EVENTS, RUNS, create, history, random_rows, verdict

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"


GENERATED = documents()


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / name).read_text())


def valid(data: object, name: str) -> None:
    jsonschema.Draft202012Validator(schema(name)).validate(data)


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.name)
def test_every_schema_is_valid_json_schema(path: Path) -> None:
    found = json.loads(path.read_text())
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert found["title"]
    jsonschema.Draft202012Validator.check_schema(found)


@pytest.mark.parametrize("name", sorted(GENERATED))
def test_generated_schemas_are_up_to_date(name: str) -> None:
    assert (SCHEMAS / name).read_text() == text(GENERATED[name]), "run `python -m probe.store.json_schemas docs/schema`"


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.name)
def test_every_list_of_outcomes_in_a_schema_is_complete(path: Path) -> None:
    assert path.read_text() == with_outcomes(path.read_text()), "run `python -m probe.store.json_schemas docs/schema`"


@pytest.mark.parametrize(("before", "after"), [("", ""), ("\n   ", "\n  ")])
def test_a_new_outcome_is_added_to_lists_of_either_layout(before: str, after: str) -> None:
    def listed(*values: str | None) -> str:
        words = f",{before or ' '}".join(map(json.dumps, values))
        return f'{{"enum": [{before}{words}{after}], "other": ["recovered", "stuck", null]}}'

    old = [outcome.value for outcome in Outcome][1:]
    assert with_outcomes(listed(*old, None)) == listed(*Outcome, None)


def test_schemas_describe_fields_as_the_model_does() -> None:
    assert docs(Facts)["refresh_ms"] == "Time from the first hit to that discovery."
    assert schema("show.json")["$defs"]["Verdict"]["properties"]["reason"]["description"].startswith("One sentence")


def stored(folder: Path) -> RunStore:
    with create(folder) as store:
        store.add(
            history(CELL, 0), verdict(Outcome.STUCK, fault_codes=(56,), api_versions=(("Produce", 7),), refresh_ms=1.5)
        )
        store.add(history(CELL, 1, problems=("\x00",)), verdict(Outcome.BROKEN))
        store.add_not_run(replace(CELL, version="1.0.0"), "no wheel")
    return store


def rows(folder: Path, kind: str) -> list[dict[str, Any]]:
    (path,) = folder.glob(f"run_id=*/{kind}/*.parquet")
    found: list[dict[str, Any]] = pq.read_table(path, partitioning=None).to_pylist()
    return found


def test_stored_rows_match_their_schemas(tmp_path: Path) -> None:
    stored(tmp_path)
    for row in rows(tmp_path, "trials"):
        valid(row, "trials-row.json")
    for row in rows(tmp_path, "events"):
        valid(row, "events-row.json")


def test_json_inside_rows_matches_its_schema(tmp_path: Path) -> None:
    stored(tmp_path)
    for kind, column in (("trials", "header"), ("events", "data")):
        whole = schema(f"{kind}-row.json")
        inner = {**whole["properties"][column]["contentSchema"], "$defs": whole["$defs"]}
        check = jsonschema.Draft202012Validator(inner)
        for row in rows(tmp_path, kind):
            if row[column] is not None:
                check.validate(json.loads(row[column]))


def test_unusual_rows_match_their_schema() -> None:
    check = jsonschema.Draft202012Validator(schema("trials-row.json"))
    for mine in random_rows(3, 40, 2, RUNS).values():
        for row in mine:
            check.validate(row)


def test_show_json_matches_its_schema(tmp_path: Path) -> None:
    stored(tmp_path)
    arguments = ["show", "--results", str(tmp_path), "--client", str(CELL.client), "--trial", "0", "--json"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    data = json.loads(done.output)
    valid(data, "show.json")
    assert [event["event"] for event in data["events"]] == [type(event).__name__ for event in EVENTS]
    for spoilt in ({"events": [{"event": "Opened"}]}, {"trial": "0"}, {"more": 1}):
        with pytest.raises(jsonschema.ValidationError):
            valid({**data, **spoilt}, "show.json")


def test_every_fact_and_event_is_in_the_schema() -> None:
    defs = schema("show.json")["$defs"]
    assert set(defs["Facts"]["properties"]) == {field.name for field in fields(Facts)}
    assert set(defs["Verdict"]["required"]) == {"outcome", "reason"}
    assert {field.name for field in fields(Verdict)} == set(defs["Verdict"]["properties"])


def test_scenarios_json_matches_its_schema() -> None:
    done = CliRunner().invoke(app, ["scenarios", "--json"])
    assert done.exit_code == 0, done.output
    valid(json.loads(done.output), "scenarios.json")
