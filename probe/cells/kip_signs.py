"""Signs of KIPs in settled cells: requests that a client sent, and what it did in a fault. Pure.

A sign is a fact of stored trials, never a guess: what no trial decides is `not known`, with the reason. The tables
`WIRE` and `BEHAVIOUR` are the one home of what counts as a sign (docs/supports.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from probe.catalogue.kips import Answer, Kip
from probe.cells.aggregate import SettledCell
from probe.cells.kip_behaviour import BEHAVIOUR, Context, Rule
from probe.model.cell import Role
from probe.model.outcomes import SAY_NOTHING
from probe.model.profile import DEFAULT_PROFILE, OWN_DEFAULTS
from probe.model.versions import version_key
from probe.protocol.apis import API_VERSIONS, SASL_AUTHENTICATE
from probe.protocol.names import error_code

if TYPE_CHECKING:
    from probe.model.cell import Cell
    from probe.model.handshake import Handshake

FENCED_LEADER_EPOCH = error_code("FENCED_LEADER_EPOCH")
"""Answered only to a request that names a leader epoch."""
INJECTED = ("answer/", "hold/", "blip/", "applied/")
"""Beginnings of the names of scenarios whose errors are injected, whatever the request was."""
Handshakes = Mapping["Cell", tuple["Handshake", ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """An answer about a KIP in a role, with the cell that shows it."""

    answer: Answer
    words: str
    """The sign, or why nothing is known."""
    role: Role | None = None
    """None = of every role."""
    cell: SettledCell | None = None
    """The cell that shows it; None if nothing does."""
    shown: int = 0
    """Trials of all cells of this role that show it."""
    of: int = 0
    """Trials of all cells of this role that could show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request whose version shows on the wire whether a client follows a KIP."""

    api: str
    version: int
    """The first version that has what the KIP added."""
    since: str
    """The first release line whose brokers offer it."""
    roles: tuple[Role, ...]
    proves: bool = True
    """Whether sending it is the sign; otherwise it has a field that may be empty."""
    unsent: str = ""
    """Why a client that never sends the API may follow the KIP; empty = then it does not, if it sends `besides`."""
    besides: str = ""
    """The API that a client sends in every such trial."""


P, C, G, T = Role.PRODUCER, Role.CONSUMER, Role.GROUP, Role.TRANSACTIONAL
WIRE: Mapping[int, tuple[Sent, ...]] = MappingProxyType(
    {
        320: (
            Sent(api="OffsetForLeaderEpoch", version=0, since="2.1", roles=(C, G), unsent="no epoch was asked for"),
            Sent(api="Fetch", version=9, since="2.1", roles=(C, G), proves=False),
        ),
        392: (Sent(api="Fetch", version=11, since="2.4", roles=(C, G), proves=False),),
        447: (
            Sent(api="TxnOffsetCommit", version=3, since="2.5", roles=(T,), unsent="no stored trial commits offsets"),
        ),
        679: (Sent(api="InitProducerId", version=0, since="0.11", roles=(P,), besides="Produce"),),
        848: (
            Sent(api="ConsumerGroupHeartbeat", version=0, since="4.0", roles=(G,), unsent="no stored trial sends it"),
        ),
        951: (
            Sent(api="Produce", version=10, since="3.7", roles=(P,)),
            Sent(api="Fetch", version=16, since="3.7", roles=(C, G)),
        ),
        1102: (Sent(api="Metadata", version=13, since="4.0", roles=(P, C, G)),),
    }
)
"""KIPs that show by API and version of a request, by number."""
NO_REQUEST = "nothing in a request tells it"


def wire_signs(kip: Kip, cells: Collection[SettledCell], handshakes: Handshakes) -> tuple[Sign, ...]:
    """Return what a client version sent, per role. `cells` are all of its cells, with facts."""
    if kip.number == 35:  # its request is part of the handshake, which facts leave out
        return _of_handshakes(handshakes, cells, API_VERSIONS, "ApiVersions", 0, absent=Answer.NO)
    if kip.number == 368:  # the same
        return _of_handshakes(handshakes, cells, SASL_AUTHENTICATE, "SaslAuthenticate", 1, absent=Answer.UNKNOWN)
    rows = WIRE.get(kip.number, ())
    if not rows:
        return (Sign(answer=Answer.UNKNOWN, words=NO_REQUEST),)
    found = [_sent(kip, role, [row for row in rows if role in row.roles], cells) for role in kip.roles]
    return tuple(one for one in found if one is not None) or (
        Sign(answer=Answer.UNKNOWN, words="no stored trial on brokers that offer it"),
    )


def behaviour_signs(kip: Kip, cells: Collection[SettledCell], context: Context) -> tuple[Sign, ...]:
    """Return what a client version did in faults that tell, per role. `cells` are all of its cells, with facts."""
    rule = BEHAVIOUR.get(kip.number)
    if rule is None:
        return (Sign(answer=Answer.UNKNOWN, words="no scenario shows it"),)
    found = [_done(role, rule, cells, context) for role in kip.roles]
    signs = tuple(one for one in found if one is not None)
    return signs or (Sign(answer=Answer.UNKNOWN, words=f"no stored trial decides it ({', '.join(rule.scenarios)})"),)


def _of_handshakes(
    handshakes: Handshakes, cells: Collection[SettledCell], api: int, name: str, least: int, *, absent: Answer
) -> tuple[Sign, ...]:
    by_cell = {one.cell: one for one in cells}
    held = {cell: some for cell, some in handshakes.items() if cell in by_cell and some}
    for cell, some in held.items():
        sent = [version for one in some for key, version in one.requests if key == api and version >= least]
        if sent:
            words = f"sends {name} {max(sent)}"
            return (Sign(answer=Answer.YES, words=words, cell=by_cell[cell], shown=1, of=1),)
    if not held:
        return (Sign(answer=Answer.UNKNOWN, words="no first requests are stored"),)
    if absent is Answer.UNKNOWN:
        return (Sign(answer=absent, words=f"no stored trial sends {name}"),)
    first = next(iter(held))
    return (Sign(answer=absent, words=f"never sends {name}", cell=by_cell[first], of=len(held)),)


def _sent(kip: Kip, role: Role, rows: Iterable[Sent], cells: Collection[SettledCell]) -> Sign | None:
    """Return the first decided sign of a role, else why there is none; None if no trial could show one."""
    maybe: Sign | None = None
    for row in rows:
        one = _of_row(row, role, [item for item in cells if _is_asked(item, row, role, kip.number)])
        if one is not None and one.answer is not Answer.UNKNOWN:
            return one
        maybe = maybe or one
    if kip.number == 320 and (fenced := _fenced(role, cells)) is not None:  # an epoch in a request
        return fenced
    return maybe


def _is_asked(item: SettledCell, row: Sent, role: Role, kip: int) -> bool:
    """Return whether a cell may show a row: of its role and lines; what is a default, with default settings only."""
    cell = item.cell
    if cell.role is not role or version_key(cell.broker) < version_key(row.since):
        return False
    return kip != 679 or cell.profile in {DEFAULT_PROFILE, OWN_DEFAULTS}  # KIP-679 is about a default


def _of_row(row: Sent, role: Role, cells: Collection[SettledCell]) -> Sign | None:
    highest = [(_highest(item, row.api), item) for item in cells if any(v.facts.api_versions for v in item.verdicts)]
    if not highest:
        return None
    used, best = max(highest, key=lambda pair: pair[0])
    of = len(highest)
    if used >= row.version and row.proves:
        shown = sum(version >= row.version for version, _ in highest)
        return Sign(answer=Answer.YES, words=f"sends {row.api} {used}", role=role, cell=best, shown=shown, of=of)
    if used >= row.version:
        return Sign(answer=Answer.UNKNOWN, words=f"sends {row.api} {used}, whose field may be empty", role=role)
    if used >= 0:
        words = f"sends {row.api} {used} at most, and {row.version} is needed"
        return Sign(answer=Answer.NO, words=words, role=role, cell=best, of=of)
    if row.besides and (least := [item for _, item in highest if _highest(item, row.besides) >= 0]):
        return Sign(answer=Answer.NO, words=f"never sends {row.api}", role=role, cell=least[0], of=len(least))
    return Sign(answer=Answer.UNKNOWN, words=row.unsent or f"never sends {row.api}", role=role)


def _highest(item: SettledCell, api: str) -> int:
    """Return the highest version of an API in the trials of a cell; -1 if it was never sent."""
    return max((v for one in item.verdicts for name, v in one.facts.api_versions if name == api), default=-1)


def _fenced(role: Role, cells: Iterable[SettledCell]) -> Sign | None:
    for item in cells:
        injected = item.cell.scenario.startswith(INJECTED)
        codes = {code for one in item.verdicts for code in one.facts.fault_codes}
        if item.cell.role is role and not injected and FENCED_LEADER_EPOCH in codes:
            words = "its requests name a leader epoch (FENCED_LEADER_EPOCH)"
            return Sign(answer=Answer.YES, words=words, role=role, cell=item, shown=1, of=1)
    return None


def _done(role: Role, rule: Rule, cells: Iterable[SettledCell], context: Context) -> Sign | None:
    shown = list(_told(role, rule, cells, context))
    yes, no = ([one for one in shown if one[0] is answer] for answer in (Answer.YES, Answer.NO))
    chosen = (no or yes) if rule.promise else (yes or no)
    if not chosen:
        return None
    answer, words, item = max(chosen, key=lambda one: (len(one[2].verdicts), version_key(one[2].cell.broker)))
    return Sign(answer=answer, words=words, role=role, cell=item, shown=len(chosen), of=len(shown))


def _told(
    role: Role, rule: Rule, cells: Iterable[SettledCell], context: Context
) -> Iterator[tuple[Answer, str, SettledCell]]:
    """Yield each trial that tells something."""
    for item in cells:
        if item.cell.role is not role or item.cell.scenario not in rule.scenarios:
            continue
        for verdict in item.verdicts:
            found = None if verdict.outcome in SAY_NOTHING else rule.holds(item, verdict, context)
            if found is not None:
                yield (*found, item)
