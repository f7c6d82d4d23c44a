"""The page of an operation in the site of evidence: each client version, the one to look after first on top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probe.catalogue.purposes import Purpose
from probe.cells.readiness import May, in_turn
from probe.model.versions import version_key
from probe.site.known.values import KnownClient, Operation
from probe.site.pages.environment import environment

TONES = {May.NO: "bad", May.UNKNOWN: "mute", May.YES: "good"}
"""The tone of each answer."""


def operation_page(purpose: Purpose, listed: Sequence[KnownClient], about: str) -> str:
    """Return the page. `listed` has all clients of the site."""
    newest: dict[str, KnownClient] = {}
    for one in sorted(listed, key=lambda one: version_key(one.client.version)):
        newest[one.client.family] = one
    latest = {one.client for one in newest.values()}
    return (
        environment()
        .get_template("known_operation.html")
        .render(
            root="",
            here=purpose.name,
            purpose=purpose,
            parts=(
                ("newest", "The newest measured version of each client", [*_in_turn(purpose, [*newest.values()])]),
                ("older", "Older versions", [*_in_turn(purpose, [one for one in listed if one.client not in latest])]),
            ),
            tones=TONES,
            about=about,
        )
    )


def _in_turn(purpose: Purpose, listed: Sequence[KnownClient]) -> Iterator[tuple[KnownClient, Operation]]:
    """Yield clients with their answers, the one to look after first on top."""
    found = {
        one.report.name: (client, one)
        for client in listed
        for one in client.operations
        if one.purpose == purpose.name and one.report.faults
    }
    yield from (found[report.name] for report in in_turn(one.report for _, one in found.values()))
