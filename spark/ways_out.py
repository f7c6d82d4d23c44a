"""The columns of the matrix that follow from other rows of it: what helps where a client does harm."""

from __future__ import annotations

import pyarrow as pa

from probe.model.matrix_ways_out import ways_out_of
from probe.model.results import IDENTITY

_NEEDED = (*IDENTITY, "conforms", "conditions", "harm")


def with_ways_out(matrix: pa.Table) -> pa.Table:
    """Return the matrix with `restart_helps` and `mended_by`, of all its rows."""
    rows = ways_out_of(matrix.select(list(_NEEDED)).to_pylist())
    for name, values in rows.items():
        place = matrix.schema.get_field_index(name)
        matrix = matrix.set_column(place, matrix.schema.field(place), pa.array(values, matrix.schema.field(place).type))
    return matrix
