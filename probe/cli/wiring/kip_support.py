"""Evidence about the KIPs that decide an incident, per client version."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from probe.catalogue.families import Family
from probe.catalogue.kips import Answer, Kip, declared, documented, kips
from probe.cells.aggregate import SettledCell
from probe.cells.kip_behaviour import BEHAVIOUR, Context
from probe.cells.kip_signs import Handshakes
from probe.cells.supports import Support, support_of
from probe.model import Cell, Client
from probe.model.versions import version_key
from probe.model.words import OwnLimit

WRAPPER = "(wrapper"
"""Part of the title of a family that changes no setting of the library inside."""
TIMEOUTS, BACKING_OFF = 91, 580
"""The KIP about the delivery limit, and the one that shows by a comparison with older releases."""


def supports_of(
    family: Family,
    version: str,
    stored: Mapping[Cell, SettledCell],
    of_family: Collection[SettledCell],
    handshakes: Handshakes,
    numbers: Sequence[Kip] = (),
) -> tuple[Support, ...]:
    """Return a client version's KIPs, by number. `stored` are its cells, with facts.

    `of_family` has the cells of all versions in the scenario that compares with older ones.
    """
    client = Client(family.family, version)
    own = family.find(version)
    library = own.library if own is not None and family.family not in documented() else None
    about = library or client
    context = _context(family, version, of_family)
    return tuple(
        support_of(
            kip,
            client,
            declared(about.family, about.version, kip.number),
            stored.values(),
            handshakes,
            context,
            library,
            own_settings=library is not None and WRAPPER not in family.title,
        )
        for kip in numbers or kips()
    )


def _context(family: Family, version: str, of_family: Collection[SettledCell]) -> Context:
    about = family.behaviour
    roles = {one.number: frozenset(one.roles) for one in kips()}
    limits = [
        one.value
        for one in about.own_limits
        if one.limit is OwnLimit.DELIVERY and one.covers(version) and (not one.roles or roles[TIMEOUTS] & {*one.roles})
    ]
    back_off_ms = family.limit(about.back_off_ms, version)
    plain = Context(back_off_ms=back_off_ms, delivery_ms=limits[0] if limits else 0)
    rule = BEHAVIOUR[BACKING_OFF]
    older = (
        rule.holds(item, verdict, plain)
        for item in of_family
        if item.cell.scenario in rule.scenarios
        and item.cell.role in roles[BACKING_OFF]
        and version_key(item.cell.version) < version_key(version)
        and family.limit(about.back_off_ms, item.cell.version) == back_off_ms
        for verdict in item.verdicts
    )
    is_constant = any(shown is not None and shown[0] is Answer.NO for shown in older)
    return Context(back_off_ms=plain.back_off_ms, delivery_ms=plain.delivery_ms, older_is_constant=is_constant)
