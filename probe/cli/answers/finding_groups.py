"""Findings about a client that share a cause, as one entry each. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from probe.cells.audit import TOLD, Fault
from probe.cells.causes import cause_of, placed
from probe.cells.citations import never_measured, rests_on, source
from probe.cells.fault_words import doubt, remarks
from probe.model import Outcome
from probe.model.counts import counted
from probe.model.harm import Harm

NAMED = 2
"""Evidence of different days that is named."""


def grouped(faults: Iterable[Fault]) -> list[list[Fault]]:
    """Return the findings in groups, in the order of their first ones.

    What fails shares harm and cause, anything else its role and outcome; all of a group were measured alike. A control
    cell that fails, and what was never measured, stands alone.
    """
    groups: dict[tuple[object, ...], list[Fault]] = {}
    for fault in faults:
        groups.setdefault(_key(fault), []).append(fault)
    return list(groups.values())


def _key(fault: Fault) -> tuple[object, ...]:
    seen = fault.evidence
    if seen is None or (fault.is_control and fault.finding in TOLD):
        return (fault.cell,)
    measured = fault.finding, seen.worst, doubt(fault), never_measured(fault.cell, seen), *remarks(seen)
    if fault.finding not in TOLD:
        return (*measured, fault.cell.role)
    harm = fault.harm
    return (*measured, None if harm is None else (harm.rank, harm.worst.silently), _cause(fault))


def _cause(fault: Fault) -> str:
    """Return why work stops or records are lost; empty where it goes on."""
    return cause_of(fault) if fault.harm is not None and fault.harm.rank >= Harm.STOPS else ""


def first_line(group: Sequence[Fault]) -> str:
    """Return where the findings of a group were made, and what they show: `net/reset (producer): stops; stuck`."""
    first = group[0]
    assert first.evidence is not None, first.cell
    harm = first.harm
    told = first.finding in TOLD
    word = harm.worst.words if told and harm is not None and harm.rank else ""
    shown = never_measured(first.cell, first.evidence) or ended(first) or str(first.evidence.worst)
    why = _cause(first) if told else _trials(group)
    return f"{placed(group)}: {'; '.join(filter(None, (word, shown, why)))}{doubt(first)}"


def ended(fault: Fault) -> str:
    """Return that a client ends as its documentation promises, where this passes; empty for any other outcome."""
    seen = fault.evidence
    if seen is None or seen.worst is not Outcome.FATAL or not seen.conforms:
        return ""
    return f"{seen.result}: it ends its work and says so, as it has to here; the service makes a new instance"


def sources(group: Sequence[Fault]) -> Iterator[str]:
    """Yield the evidence of a group, that of most findings first."""
    counts = Counter(text for fault in group if fault.evidence is not None for text in rests_on(fault.evidence))
    yield from (f"{count} from {text}" if len(counts) > 1 else text for text, count in counts.most_common())


def rests_on_all(faults: Iterable[Fault]) -> str:
    """Return the evidence of findings, that of most of them first; of more than `NAMED` the others are counted."""
    counts = Counter(text for fault in faults if fault.evidence is not None and (text := source(fault.evidence)))
    names = [f"{counted(count, 'cell')} of {text}" for text, count in counts.most_common()]
    more = f"; {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{'; '.join(names[:NAMED])}{more}"


def shared(names: Iterable[str], of: int) -> Iterator[str]:
    """Yield each name with the share of the findings that have it: `1.43.3 (2 of 3)`; empty ones are none."""
    counts = Counter(filter(None, names))
    yield from (name if count == of else f"{name} ({count} of {of})" for name, count in counts.most_common())


def _trials(group: Sequence[Fault]) -> str:
    trials = sorted({len(fault.evidence.verdicts) for fault in group if fault.evidence is not None})
    return f"{counted(trials[0], 'trial')} each" if len(trials) == 1 else f"{trials[0]} to {trials[-1]} trials each"
