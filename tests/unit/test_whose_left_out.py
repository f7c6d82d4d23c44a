"""Fingerprints of every listed version name a version that they lack. The trials are those of the shipped evidence.

`benchmarks/fingerprints.py` asks of all trials; this asks of some.
"""

from __future__ import annotations

import random
import sys
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from probe.cli.commands.publish_fingerprints import of_libraries
from probe.diagnose.fingerprints import Fingerprints, learned
from probe.diagnose.whose import Whose
from probe.evidence import places
from probe.evidence.opening import opened
from probe.files.shipped import FOLDER, PUBLISHED
from probe.model import Cell, Engine
from probe.model.handshake import Handshake

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from fingerprints import Question, asked, questions, report, views, wrong  # found by the line above

Sent = dict[Cell, tuple[Handshake, ...]]
ASKED = 60
"""Questions per view."""
NAMED = {"whole, offers seen": 0.95, "whole": 0.9, "began earlier, offers seen": 0.5}
"""The least share of clients whose library is named, by what is seen of them."""


@cache
def evidence() -> tuple[Sent, Fingerprints]:
    held = places.of_file(FOLDER / PUBLISHED)
    with opened(held.source, held.name, held.digest) as file:
        every = file.handshakes()
    sent = {cell: some for cell, some in every.items() if cell.engine is Engine.EMBEDDED and cell.profile == "isolated"}
    return sent, learned(of_libraries(sent))


@cache
def answers() -> dict[str, list[tuple[Question, Whose]]]:
    """Return the answers by view. All are asked for at once, since a version is left out once for all of its trials."""
    sent, fingerprints = evidence()
    every = {view: [*questions(sent, seen)] for view, seen in views(fingerprints).items() if view in NAMED}
    some = {view: random.Random(41).sample(found, ASKED) for view, found in every.items()}
    view_of = {id(one): view for view, found in some.items() for one in found}
    pairs: dict[str, list[tuple[Question, Whose]]] = {view: [] for view in some}
    for one, found in asked(fingerprints, chain.from_iterable(some.values())):
        pairs[view_of[id(one)]].append((one, found))
    return pairs


@pytest.mark.parametrize("view", NAMED)
def test_a_version_that_is_left_out_is_named_by_its_neighbours(view: str) -> None:
    sent, fingerprints = evidence()
    pairs = answers()[view]
    print("\n".join([*report(view, sent, fingerprints, pairs), *wrong(pairs)]))  # noqa: T201  # shown if it fails
    known = [(one, found) for one, found in pairs if found.library]
    right = [(one, found) for one, found in known if found.library == one.family]
    held = [one for one, found in right if found.span.holds(one.version)]
    assert len(pairs) == ASKED
    assert len(known) >= NAMED[view] * len(pairs)
    assert len(right) >= 0.96 * len(known)
    assert len(held) >= 0.95 * len(right)
