"""Fingerprints of every listed version name a version that they lack. The trials are those of the shipped evidence.

`benchmarks/fingerprints.py` asks of all trials; this asks of some.
"""

from __future__ import annotations

import random
import sys
from functools import cache
from pathlib import Path

import pytest

from probe.cli.commands.publish_fingerprints import of_libraries
from probe.diagnose.fingerprints import Fingerprints, learned
from probe.evidence import places
from probe.evidence.access import opened
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Engine
from probe.model.handshake import Handshake

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from fingerprints import Question, asked, questions, report, views, wrong  # found by the line above

Sent = dict[Cell, tuple[Handshake, ...]]
ASKED = 900
"""Questions per view, of some 1,900: of 150 the share of right answers varies by two in a hundred with what ships."""


@cache
def evidence() -> tuple[Sent, Fingerprints]:
    held = places.of_file(built(TEXT))
    with opened(held.source, held.name, held.digest) as file:
        every = file.handshakes()
    sent = {cell: some for cell, some in every.items() if cell.engine is Engine.EMBEDDED and cell.profile == "isolated"}
    return sent, learned(of_libraries(sent))


@pytest.mark.parametrize(
    ("view", "nameless", "named", "true"),
    [
        ("whole, offers seen", False, 0.95, 0.96),
        ("whole", False, 0.9, 0.96),
        ("began earlier, offers seen", False, 0.5, 0.93),
        ("whole, offers seen", True, 0.9, 0.96),
    ],
)
@pytest.mark.whole
def test_a_version_that_is_left_out_is_named_by_its_neighbours(
    view: str, nameless: bool, named: float, true: float
) -> None:
    sent, fingerprints = evidence()
    every: list[Question] = [*questions(of_libraries(sent), views(fingerprints)[view], nameless=nameless)]
    pairs = [*asked(fingerprints, random.Random(41).sample(every, ASKED))]
    print("\n".join([*report(view, sent, fingerprints, pairs), *wrong(pairs)]))  # noqa: T201  # shown if it fails
    known = [(one, found) for one, found in pairs if found.library]
    right = [(one, found) for one, found in known if found.library == one.family]
    held = [one for one, found in right if found.span.holds(one.version)]
    assert len(known) >= named * len(pairs)
    assert len(right) >= true * len(known)
    assert len(held) >= 0.95 * len(right)
