"""Files of a site beside its pages: evidence as a file, its digest, the same rows as Parquet, and OSV records."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from probe.cli.wiring.osv_records import osv_files
from probe.cli.wiring.settled_cells import own_file
from probe.evidence.access import opened
from probe.evidence.publication import unfit_for_site
from probe.evidence.reader import EvidenceFile
from probe.evidence.schema import JUDGED
from probe.evidence.writer import reduced
from probe.files.digests import ENDING, digest_line, digest_of
from probe.files.shipped_evidence import PUBLISHED
from probe.model.results import SCHEMA_KEY, SCHEMA_VERSION
from probe.model.schema import Type

TWIN = "evidence.parquet"
_TYPES = {Type.STRING: pa.string(), Type.BIGINT: pa.int64(), Type.DOUBLE: pa.float64(), Type.BOOLEAN: pa.bool_()}


def site_files(results: str, existing: Path) -> Mapping[str, bytes]:
    """Return the files by path, from the settled cells of a results folder and the site that stands."""
    with own_file(results) as own:
        data = reduced(own, unfit_for_site(own.cells()))
    with opened(data, PUBLISHED) as file:
        twin, cells = as_parquet(file), file.cells().values()
    evidence = {PUBLISHED: data, PUBLISHED + ENDING: digest_line(digest_of(data), PUBLISHED).encode(), TWIN: twin}
    return {**evidence, **osv_files(cells, existing)}


def as_parquet(file: EvidenceFile) -> bytes:
    """Return the rows of the view `judged` as a Parquet file (docs/schema/evidence-row.json)."""
    schema = pa.schema(
        [(name, _TYPES[kind]) for name, kind in JUDGED.items()], metadata={SCHEMA_KEY: str(SCHEMA_VERSION)}
    )
    columns = list(zip(*file.judged(), strict=True)) or [()] * len(schema)
    arrays = [
        pa.array(map(bool_of, values) if field.type == pa.bool_() else values, field.type)
        for field, values in zip(schema, columns, strict=True)
    ]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]  # pyarrow has no types


def bool_of(value: int | None) -> bool | None:
    """Return a truth value of SQLite, which has none of its own."""
    return None if value is None else bool(value)
