"""A settled cell as one line of text, so that a commit shows which cell it changes (docs/operations.md#evidence).

Columns are joined by tabs: version, role (`producer`, `producer/keyed`), scenario, profile, release line, the run and
trial, and one column per trial. A trial begins with its outcome, `+`, `-` or `?` (conforms, does not, not judged) and
the row of the verdict table whose sentence it has; then come facts (`probe.evidence.fact_tokens`), of later trials
those that differ (`probe.evidence.repeated_facts`). A sentence that does not follow from the facts stands at the end,
behind ` | `, and no row is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from probe.cells.aggregate import SettledCell
from probe.evidence.fact_tokens import escaped, facts_in, plain, tokens_of, whole_number
from probe.evidence.repeated_facts import lengthened, shortened
from probe.evidence.schema import EvidenceError
from probe.model.cell import Cell, Engine, Outcome, Role, Workload
from probe.model.columns import Facts
from probe.model.conditions import span
from probe.model.verdicts import Verdict

SENTENCE = " | "
_HEAD = re.compile(r"([a-z_]+)([-+?])(\d*)")
_MARKS = {True: "+", False: "-", None: "?"}
_CONFORMS = {mark: value for value, mark in _MARKS.items()}
Sentences = Callable[[Cell, Outcome, Facts], Iterator[tuple[int, str]]]
"""Returns the sentences that an outcome with these facts may have, by rows of the verdict table."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """The common part of all lines of a file."""

    family: str
    engine: Engine
    rules: int
    conditions: int
    """Numbers of the rules and of the conditions. A line names its own where they differ."""
    runs: Mapping[str, str]
    """The ids of runs by the short names that lines have."""

    @cached_property
    def short(self) -> Mapping[str, str]:
        """The short names of runs by their ids."""
        return {run_id: short for short, run_id in self.runs.items()}


def line_of(item: SettledCell, place: Place, sentences: Sentences) -> str:
    """Return the line of a cell, without its end."""
    cell = item.cell
    role = str(cell.role) if cell.workload is Workload.CONTINUOUS else f"{cell.role}/{cell.workload}"
    key = (cell.version, role, cell.scenario, cell.profile, cell.broker)
    odd = [f"R{item.rules}"] if item.rules != place.rules else []
    odd += [f"C{item.conditions}"] if span(cell, item.conditions) != span(cell, place.conditions) else []
    where = " ".join([f"{place.short[item.run_id]}.{item.trial}", *odd])
    told = [_trial(cell, one, sentences) for one in item.verdicts]
    trials = [
        " ".join(tokens) + sentence
        for tokens, (_, sentence) in zip(shortened(tokens for tokens, _ in told), told, strict=True)
    ]
    return "\t".join([*map(escaped, key), where, *trials])


def cell_of(line: str, place: Place, sentences: Sentences) -> SettledCell:
    """Return the cell of a line. EvidenceError with the line's beginning if it cannot be read."""
    try:
        *key, where, trials = line.split("\t", 6)[:7]
        version, role_text, scenario, profile, broker = map(plain, key)
        role, _, workload = role_text.partition("/")
        cell = Cell(
            place.family,
            version,
            Role(role),
            profile,
            scenario,
            place.engine,
            broker,
            Workload(workload) if workload else Workload.CONTINUOUS,
        )
        source, *odd = where.split(" ")
        numbers = {mark[0]: whole_number(mark[1:]) for mark in odd}
        run, _, trial = source.rpartition(".")
        rules = numbers.get("R", place.rules)
        parts = [text.partition(SENTENCE) for text in trials.split("\t")]
        whole = lengthened(before.split(" ") for before, _, _ in parts)
        verdicts = tuple(
            _verdict(cell, tokens, sentence, rules, sentences)
            for tokens, (_, _, sentence) in zip(whole, parts, strict=True)
        )
        conditions = numbers.get("C", place.conditions)
        number = whole_number(trial)
        return SettledCell(cell=cell, run_id=place.runs[run], trial=number, verdicts=verdicts, conditions=conditions)
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        start = line[:60].replace("\t", " ")
        raise EvidenceError(f"{place.family} on {place.engine}, {start}: no cell of evidence ({error})") from None


def _trial(cell: Cell, verdict: Verdict, sentences: Sentences) -> tuple[list[str], str]:
    """Return the head and the facts of a trial, and its sentence where that does not follow from them."""
    made = sentences(cell, verdict.outcome, verdict.facts)
    row = next((str(row) for row, text in made if text == verdict.reason), "")
    tokens = [f"{verdict.outcome}{_MARKS[verdict.conforms]}{row}", *tokens_of(verdict.facts)]
    return tokens, "" if row else f"{SENTENCE}{escaped(verdict.reason, spaces=False)}"


def _verdict(cell: Cell, told: list[str], sentence: str, rules: int, sentences: Sentences) -> Verdict:
    head, *tokens = told
    word, mark, row = _HEAD.fullmatch(head).groups()  # type: ignore[union-attr]  # what does not match is caught
    outcome, conforms = Outcome(word), _CONFORMS[mark]
    facts = facts_in(tokens)
    reason = plain(sentence) or dict(sentences(cell, outcome, facts)).get(int(row or 0), "")
    return Verdict(outcome=outcome, reason=reason, conforms=conforms, facts=facts, rules=rules)
