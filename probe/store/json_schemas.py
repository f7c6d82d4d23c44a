"""JSON Schemas of the stored data, generated from the model: `python -m probe.store.json_schemas docs/schema`.

They describe `probe show --json` and the rows of the Parquet files of trials, events, verdicts and the matrix. A test
compares the files with the output of this module.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pyarrow as pa

from probe.evidence.schema import JUDGED
from probe.model import Cell, Event, Facts, Header, Outcome, Reality, Verdict
from probe.model.columns import COLUMNS, FACTS, IDENTITY
from probe.model.harm import COLUMN_WORDS
from probe.model.schema import Aggregate, Column, Type, Unit
from probe.store.schema_outcomes import with_outcomes
from probe.store.schemas import EVENT_SCHEMA, TRIAL_SCHEMA, VERDICT_SCHEMA

Json = dict[str, Any]
DRAFT = "https://json-schema.org/draft/2020-12/schema"
PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
EVENTS = get_args(Event)
ALWAYS = frozenset(
    {"run_id", "trial", "outcome", "seq", "at", "source", "kind", "data", *(f.name for f in fields(Cell))}
)
"""Columns of Parquet files that are never null."""
_SETTLED = frozenset({*IDENTITY, "outcome", "reality", "trials", "agreeing", "run_id", "conditions", "worst"})
"""Columns of the matrix that are never null."""
_WORDS = dict.fromkeys(("conforms", "silent", "restart_helps"), ("yes", "no")) | COLUMN_WORDS
PLAIN_COLUMNS = {Type.STRING: "string", Type.BIGINT: "integer", Type.DOUBLE: "number", Type.BOOLEAN: "boolean"}
HOW = {
    Aggregate.LEAST: "The least of the trials.",
    Aggregate.GREATEST: "The greatest of the trials.",
    Aggregate.MEDIAN: "The median of the trials.",
    Aggregate.P95: "The 95th percentile of the trials.",
    Aggregate.COMMONEST: "The commonest of the trials.",
    Aggregate.ALL: "True where it is true in every trial.",
    Aggregate.UNION: "Of all trials.",
}
JOINED: Mapping[Type | None, str] = {Type.CODES: "Joined by `;`.", Type.VERSIONS: "`API=version`, joined by `;`."}
SOURCES = ("wire", "app", "engine", "harness")


def documents() -> Mapping[str, Json]:
    """Return the generated schemas by file name."""
    return {
        "show.json": show(),
        "trials-row.json": _rows(
            "A row of trials/*.parquet: a trial with the verdict from the time of its run", TRIAL_SCHEMA
        ),
        "events-row.json": _rows("A row of events/*.parquet: an event of a trial", EVENT_SCHEMA),
        "evidence-row.json": _evidence(),
        "matrix-row.json": _matrix(),
        "verdicts-row.json": _rows("A row of verdicts/*.parquet: a newer verdict of a trial", VERDICT_SCHEMA),
    }


def show() -> Json:
    """Return the schema of `probe show --json`."""
    defs: dict[str, Json] = {}
    properties = {
        "run_id": {"type": "string"},
        "cell": _whole(Cell, defs),
        "trial": {"type": "integer", "minimum": 0},
        "verdict": _of(Verdict, defs),
        "header": _of(Header, defs),
        "events": {"type": "array", "items": {"oneOf": [_event(kind, defs) for kind in EVENTS]}},
    }
    return _document("probe show --json; fields with default values are left out", properties, list(properties), defs)


def _event(kind: type, defs: dict[str, Json]) -> Json:
    """Return the schema of an event: its name and its fields."""
    found = _object(kind, defs)
    properties = {"event": {"const": kind.__name__}, **found["properties"]}
    return {**found, "properties": properties, "required": ["event", *found["required"]]}


def _rows(title: str, schema: pa.Schema) -> Json:
    defs: dict[str, Json] = {}
    properties = {field.name: _column(field, defs) for field in schema}
    return _document(title, properties, list(schema.names), defs)


def _evidence() -> Json:
    title = "A row of evidence.parquet and of the view `judged` in evidence.sqlite: a trial behind a settled cell"
    never_null = frozenset(JUDGED) - {"cell_conforms", "conforms", *FACTS}
    columns = {
        name: {"type": PLAIN_COLUMNS[kind] if name in never_null else [PLAIN_COLUMNS[kind], "null"]}
        for name, kind in JUDGED.items()
    }
    return _document(f"{title}; lists are joined by `;`", columns, list(columns), {})


def _matrix() -> Json:
    title = "A row of matrix.parquet; matrix.csv has the same columns in this order, empty for null"
    columns = {column.name: _matrix_column(column) for column in COLUMNS}
    return _document(f"{title}, rates with one decimal", columns, list(columns), {})


def _matrix_column(column: Column) -> Json:
    """Return the schema of a matrix column, from the table of columns."""
    never_null = column.name in _SETTLED
    words = _WORDS.get(column.name) or _listed(column.source)
    kind = PLAIN_COLUMNS[column.type]
    values: Json = {"type": kind if never_null else [kind, "null"]}
    if words and column.aggregate is not Aggregate.UNION:
        values = {"enum": [*filter(None, words), *([] if never_null else [None])]}
    elif never_null and kind == "integer":
        values["minimum"] = 0
    text = f"{column.label}. {column.text}" if column.label else column.text
    unit = f"Unit: {column.unit}." if column.unit in {Unit.MS, Unit.PER_S} else ""
    how = HOW.get(column.aggregate, "") if column.label else ""
    parts = [text, unit, how, JOINED.get(FACTS.get(column.source), "")]
    return {**values, **({"description": " ".join(filter(None, parts))} if any(parts) else {})}


def _document(title: str, properties: Json, required: list[str], defs: dict[str, Json]) -> Json:
    more = {"$defs": dict(sorted(defs.items()))} if defs else {}
    body = {"type": "object", "additionalProperties": False, "required": required, "properties": properties}
    return {"$schema": DRAFT, "title": title, **body, **more}


def _column(field: pa.Field, defs: dict[str, Json]) -> Json:
    """Return the schema of a column; the model describes the facts."""
    text = {**docs(Header), **docs(Verdict), **docs(Facts)}.get(field.name)
    about = {"description": text} if text else {}
    if field.name in {"header", "data"}:
        inner = _of(Header, defs) if field.name == "header" else {"anyOf": [_of(kind, defs) for kind in EVENTS]}
        return {
            **_nullable("string", field.name),
            **about,
            "contentMediaType": "application/json",
            "contentSchema": inner,
        }
    if listed := _listed(field.name):
        kinds: list[str | None] = [*listed, *([] if field.name in ALWAYS else [None])]
        return {"enum": kinds, **about}
    return {**_arrow(field.type, field.name), **about}


def _listed(name: str) -> tuple[str, ...]:
    hints = {**get_type_hints(Facts), **get_type_hints(Cell), "outcome": Outcome, "reality": Reality}
    if name == "source":
        return SOURCES
    for kind in get_args(hints.get(name)) or (hints.get(name),):
        if isinstance(kind, type) and issubclass(kind, Enum):
            return tuple(item.value for item in kind)
    return ()


def _arrow(kind: pa.DataType, name: str) -> Json:
    if pa.types.is_list(kind):
        return {**_nullable("array", name), "items": _arrow(kind.value_type, "outcome")}
    if pa.types.is_struct(kind):
        properties = {part.name: _arrow(part.type, "outcome") for part in kind}
        return {"type": "object", "additionalProperties": False, "required": list(properties), "properties": properties}
    names = {"string": "string", "int32": "integer", "int64": "integer", "double": "number", "bool": "boolean"}
    return _nullable(names[str(kind)], name)


def _nullable(kind: str, name: str) -> Json:
    return {"type": kind if name in ALWAYS else [kind, "null"]}


def _of(hint: Any, defs: dict[str, Json]) -> Json:
    """Return the schema of a type of the model as `encode` writes it."""
    if hint in PLAIN:
        return {"type": PLAIN[hint]}
    if get_origin(hint) is not None:
        return _compound(hint, defs)
    if issubclass(hint, Enum):
        return {"enum": [item.value for item in hint]}
    if hint.__name__ not in defs:
        defs[hint.__name__] = {}
        defs[hint.__name__] = _object(hint, defs)
    return {"$ref": f"#/$defs/{hint.__name__}"}


def _compound(hint: Any, defs: dict[str, Json]) -> Json:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in {Union, types.UnionType}:
        return {"anyOf": [_of(one, defs) for one in arguments]}
    if origin is not tuple:  # a mapping with text keys
        return {"type": "object", "additionalProperties": _of(arguments[1], defs)}
    if arguments[-1] is Ellipsis:
        return {"type": "array", "items": _of(arguments[0], defs)}
    return {"type": "array", "prefixItems": [_of(one, defs) for one in arguments], "items": False}


def _object(kind: type, defs: dict[str, Json]) -> Json:
    assert is_dataclass(kind), kind
    hints, texts = get_type_hints(kind), docs(kind)
    properties = {}
    for field in fields(kind):
        about = {"description": texts[field.name]} if field.name in texts else {}
        properties[field.name] = {**_of(hints[field.name], defs), **about}
    required = [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def _whole(kind: type, defs: dict[str, Json]) -> Json:
    """Return the schema of a value with all of its fields."""
    found = _object(kind, defs)
    return {**found, "required": list(found["properties"])}


@cache
def docs(kind: type) -> Mapping[str, str]:
    """Return the docstring of every documented field, in one line."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for field, after in zip(tree.body, tree.body[1:], strict=False):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            found[field.target.id] = " ".join(after.value.value.split())
    return found


def write(folder: Path) -> None:
    """Write the generated schemas into a folder, and the list of outcomes into every schema there."""
    for name, document in documents().items():
        (folder / name).write_text(text(document), encoding="utf-8")
    for path in folder.glob("*.json"):
        path.write_text(with_outcomes(path.read_text(encoding="utf-8")), encoding="utf-8")


def text(document: Json) -> str:
    """Return a schema as the text of its file."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write(Path(sys.argv[1]))
