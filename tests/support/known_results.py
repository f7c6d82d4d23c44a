"""A file of known results with one entry, and stored trials of its cells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from probe.cli.commands import verify
from probe.model import Cell, Outcome, Trigger
from tests.support.synthetic_rows import CELL, create, history, verdict

PLAIN = """
[[known]]
id = "demo"
says = "it is stuck"
source = "IBM/sarama #2939"
client = "sarama@1.43.2"
role = "producer"
scenario = "disk/storage-error"
outcome = ["stuck"]
[known.contrast]
client = "sarama@1.43.3"
outcome = ["refreshes"]
"""
FACTS = 'facts = { refresh_trigger = "none", fault_codes = [56] }\n'
ENTRY = PLAIN.replace("[known.contrast]", f"{FACTS}[known.contrast]")
STUCK = replace(CELL, version="1.43.2")


def store(results: Path, *rows: tuple[Cell, Outcome], rules: int = 0) -> str:
    """Store judged trials with the facts that the entry expects."""
    with create(results) as run:
        for number, (cell, outcome) in enumerate(rows):
            judged = verdict(outcome, fault_codes=(56,), refresh_trigger=Trigger.NONE)
            run.add(history(cell, number), replace(judged, rules=rules or verify.RULES_VERSION))
    return run.run_id
