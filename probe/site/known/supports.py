"""The page of KIPs in the site of evidence: the newest version of each client, and where documents are contradicted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from probe.catalogue.kips import Answer, kips
from probe.cells.kip_signs import Sign
from probe.cells.supports import Contradiction, Support
from probe.model.versions import version_key
from probe.site.known.values import KnownClient
from probe.site.pages.environment import environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Versions of a client whose documents a stored trial contradicts in the same KIP."""

    kind: Contradiction
    newest: Support
    versions: str
    """The versions, in words."""
    proof: Sign
    """The trial of the newest one."""


def supports_page(listed: Sequence[KnownClient], about: str) -> str:
    """Return the page. `listed` has all clients of the site."""
    found = [one for client in listed for one in client.supports if one.contradiction]
    families = sorted({one.client.family for one in listed})
    newest = [_newest(listed, family) for family in families]
    return (
        environment()
        .get_template("known_supports.html")
        .render(
            root="",
            here="supports",
            kips=kips(),
            count=len(found),
            disagreements=list(_grouped(found)),
            newest=[(one.client, one.supports) for one in newest if one.supports],
            about=about,
            short=_short,
        )
    )


def _newest(listed: Iterable[KnownClient], family: str) -> KnownClient:
    return max((one for one in listed if one.client.family == family), key=lambda one: version_key(one.client.version))


def _short(answer: Answer) -> str:
    return "?" if answer is Answer.UNKNOWN else str(answer)


def _grouped(found: Sequence[Support]) -> Iterator[Disagreement]:
    def key(one: Support) -> tuple[bool, str, int]:
        return one.contradiction is not Contradiction.NOT_SO, one.client.family, one.kip.number

    for _, group in groupby(sorted(found, key=key), key=key):
        ordered = sorted(group, key=lambda one: version_key(one.client.version))
        newest = ordered[-1]
        if (proof := newest.proof) is not None:
            first, last = ordered[0].client.version, newest.client.version
            versions = last if len(ordered) == 1 else f"{first} to {last} ({len(ordered)} measured versions)"
            yield Disagreement(kind=newest.contradiction, newest=newest, versions=versions, proof=proof)
