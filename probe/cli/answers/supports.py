"""Output of `probe supports`: text, or JSON (docs/schema/supports.json)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from probe.catalogue.kips import Answer, Statement
from probe.cells.citations import rests_on
from probe.cells.cli_hints import lookup_command, run_command
from probe.cells.kip_signs import Sign
from probe.cells.supports import Contradiction, Support
from probe.cli.console.line_wrap import command_lines, wrapped
from probe.model.safe_text import visible

AT = 11
"""Column at which texts begin."""
COLUMNS = f"{'':<{AT}}{'declared':<13}{'on the wire':<13}in faults"


def table(found: Sequence[Support], columns: int) -> Iterator[str]:
    """Yield a line per KIP with its three answers, and below it where documents and measurements disagree."""
    yield COLUMNS
    for one in found:
        answers = f"{one.statement.shown:<13}{one.on_the_wire:<13}{one.in_faults}"
        yield f"  {one.kip!s:<{AT - 2}}{answers}"
        yield from wrapped(f"{'':<{AT}}{one.kip.asks}", columns, AT)
        if one.contradiction:
            yield from wrapped(f"{'':<{AT}}{_disagreement(one)}", columns, AT)


def by_version(found: Sequence[Support], columns: int) -> Iterator[str]:
    """Yield a line per version of one KIP."""
    yield f"  {'':<14}{'declared':<13}{'on the wire':<13}in faults"
    for one in found:
        text = f"  {one.client.version:<14}{one.statement.shown:<13}{one.on_the_wire:<13}{one.in_faults}"
        yield from wrapped(f"{text}{f'; {one.contradiction}' if one.contradiction else ''}", columns, AT)


def details(one: Support, results: str, columns: int, *, can_run: bool) -> Iterator[str]:
    """Yield what each answer about a KIP rests on, with the command that measures a cell anew."""
    yield from wrapped(f"{one.kip}, {one.kip.title}: a client that follows it {one.kip.asks}.", columns, 2)
    yield from wrapped(f"  declared: {statement_words(one)}", columns, 4)
    if one.statement.link:
        yield f"    {one.statement.link}"
    for name, signs in (("on the wire", one.wire), ("in faults", one.behaves)):
        for sign in signs:
            yield from wrapped(f"  {name}{f', {sign.role}' if sign.role else ''}: {sign_words(sign)}", columns, 4)
            yield from _cell_lines(sign, results, columns, can_run=can_run)
    if one.contradiction:
        yield from wrapped(f"  {_disagreement(one)}", columns, 4)


def statement_words(one: Support) -> str:
    """Return what is declared, in words."""
    said: Statement = one.statement
    inside = f"of {one.library}, the library inside" if one.library and said.source else ""
    opt_in = f"only with {said.opt_in}" if said.opt_in else ""
    return "; ".join(filter(None, [said.answer, said.words, opt_in, said.source, inside]))


def sign_words(sign: Sign) -> str:
    """Return a sign in words: the answer, the share of trials where some differ, what they show."""
    share = f" in {sign.shown} of {sign.of}" if sign.of > sign.shown > 0 else ""
    return f"{sign.answer}{share}; {visible(sign.words)}"


def _disagreement(one: Support) -> str:
    proof = one.proof
    shown = f": {proof.role} {visible(proof.words)}" if proof is not None and proof.role else ""
    return f"{one.contradiction.upper()}{shown}"


def _cell_lines(sign: Sign, results: str, columns: int, *, can_run: bool) -> Iterator[str]:
    if sign.cell is None:
        return
    seen = sign.cell
    texts = [f"{seen.cell.profile} {seen.cell.scenario} on {seen.cell.engine} {seen.cell.broker}", *rests_on(seen)]
    yield from wrapped(f"    {'; '.join(texts)}; run {seen.run_id}, trial {seen.trial}", columns, 6)
    command = run_command([seen.cell], results) if can_run else lookup_command(seen.cell)
    yield from command_lines(visible(command), columns, 6)


def contradictions(found: Sequence[Support]) -> Mapping[Contradiction, int]:
    """Return how many KIPs disagree, of each kind."""
    kinds = [one.contradiction for one in found if one.contradiction]
    return {kind: kinds.count(kind) for kind in Contradiction if kind in kinds}


def document(found: Sequence[Support], client: str, evidence: Sequence[str]) -> dict[str, Any]:
    """Return the answer for JSON (docs/schema/supports.json)."""
    counted = contradictions(found)
    return {
        "client": client,
        "evidence": list(evidence),
        "contradictions": {
            "declared_and_not_so": counted.get(Contradiction.NOT_SO, 0),
            "so_and_not_declared": counted.get(Contradiction.UNDECLARED, 0),
        },
        "answers": [{"client": str(one.client), **kip_data(one)} for one in found],
    }


def kip_data(one: Support) -> dict[str, Any]:
    """Return a KIP of a client for JSON."""
    said = one.statement
    return {
        "kip": one.kip.number,
        "title": one.kip.title,
        "declared": {
            "answer": said.answer,
            "words": said.words,
            "opt_in": said.opt_in,
            "source": said.source,
            "link": said.link,
            "library": str(one.library) if one.library else "",
        },
        "wire": {"answer": one.on_the_wire, "signs": [_sign(sign) for sign in one.wire]},
        "behaves": {"answer": one.in_faults, "signs": [_sign(sign) for sign in one.behaves]},
        "contradiction": one.contradiction,
    }


def _sign(sign: Sign) -> dict[str, Any]:
    seen = sign.cell
    made: dict[str, Any] = {"role": sign.role or "", "answer": sign.answer, "words": sign.words}
    if seen is None or sign.answer is Answer.UNKNOWN:
        return made
    cell = seen.cell
    return {
        **made,
        "shown": sign.shown,
        "of": sign.of,
        "scenario": cell.scenario,
        "profile": cell.profile,
        "engine": cell.engine,
        "broker": cell.broker,
        "measured": "" if seen.origin is None else seen.origin.measured,
        "run_id": seen.run_id,
        "trial": seen.trial,
        "command": run_command([cell], ""),
    }
