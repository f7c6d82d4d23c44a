"""Inputs that `benchmarks/fuzz.py` found, and that are read or refused since then."""

from __future__ import annotations

import pytest

from benchmarks.fuzz import READERS, _one


@pytest.mark.parametrize(("reader", "number"), [("request-logs", 4504), ("evidence-text", 777)])
def test_an_input_that_failed_ends_in_a_value_or_in_an_error_of_ours(reader: str, number: int) -> None:
    assert _one(READERS[reader], 1, number) in {"read", "refused"}
