"""A KIP of a client version: declared, seen on the wire, and as it behaves; and disagreements of these. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from probe.catalogue.kips import Answer, Kip, Statement
from probe.cells.aggregate import SettledCell
from probe.cells.kip_behaviour import Context
from probe.cells.kip_signs import Handshakes, Sign, behaviour_signs, wire_signs
from probe.model.cell import Client


class Contradiction(StrEnum):
    """A disagreement between what is declared and what was measured."""

    NONE = ""
    NOT_SO = "declared, and not so"
    """Its documents say that it follows the KIP, by default or as a cell sets it, and a stored trial shows that it does
    not."""
    UNDECLARED = "so, and not declared"
    """Its documents say that it does not follow the KIP, and a stored trial shows that it does what the KIP asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """One KIP of one client version."""

    kip: Kip
    client: Client
    statement: Statement
    library: Client | None = None
    """The library inside whose documents make the statement; None = the client's own."""
    own_settings: bool = False
    """Whether it is an application, which may set otherwise what the library inside does by default."""
    wire: tuple[Sign, ...]
    behaves: tuple[Sign, ...]

    @property
    def on_the_wire(self) -> Answer:
        """The answer of the wire, over all roles."""
        return over_all(self.wire)

    @property
    def in_faults(self) -> Answer:
        """The answer of its behaviour in faults, over all roles."""
        return over_all(self.behaves)

    @property
    def contradiction(self) -> Contradiction:
        """The disagreement of documents and trials; never of an application, whose own documents were not read."""
        if self.own_settings:
            return Contradiction.NONE
        measured = {one.answer for one in (*self.wire, *self.behaves)}
        if self.statement.answer is Answer.YES and Answer.NO in measured:
            return Contradiction.NOT_SO
        if self.statement.answer is Answer.NO and self.in_faults is Answer.YES:
            return Contradiction.UNDECLARED
        return Contradiction.NONE

    @property
    def proof(self) -> Sign | None:
        """The sign that contradicts the documents; None if nothing does. What it does comes before what it sends."""
        wanted = {Contradiction.NOT_SO: Answer.NO, Contradiction.UNDECLARED: Answer.YES}.get(self.contradiction)
        return next((one for one in (*self.behaves, *self.wire) if one.answer is wanted), None) if wanted else None


def over_all(signs: Iterable[Sign]) -> Answer:
    """Return one answer for several roles: `no` where one does not, else `yes` where one does."""
    answers = {one.answer for one in signs}
    return next((one for one in (Answer.NO, Answer.YES) if one in answers), Answer.UNKNOWN)


def support_of(
    kip: Kip,
    client: Client,
    statement: Statement,
    cells: Collection[SettledCell],
    handshakes: Handshakes,
    context: Context,
    library: Client | None = None,
    *,
    own_settings: bool = False,
) -> Support:
    """Return what is known of a KIP. `cells` are all settled cells of the client version, with their facts."""
    return Support(
        own_settings=own_settings,
        kip=kip,
        client=client,
        statement=statement,
        library=library,
        wire=tuple(_switched_on(one, statement) for one in wire_signs(kip, cells, handshakes)),
        behaves=tuple(_switched_on(one, statement) for one in behaviour_signs(kip, cells, context)),
    )


def _switched_on(sign: Sign, statement: Statement) -> Sign:
    """Return a sign; what was not switched on in its cell decides nothing."""
    if sign.answer is not Answer.NO or not statement.opt_in or sign.cell is None:
        return sign
    if statement.opt_in in sign.cell.cell.profile:
        return sign
    words = f"not switched on there ({statement.opt_in}): {sign.words}"
    return replace(sign, answer=Answer.UNKNOWN, words=words)
