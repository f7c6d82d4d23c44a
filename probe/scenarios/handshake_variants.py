"""Role variants of scenarios in which TLS handshakes fail for a while."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Outcome, Reaction, Symptom, Target
from probe.scenarios.login_variants import REFUSED_MS
from probe.scenarios.scenario import CLIENT_ROLES, CONFORMS, RoleVariant, expect
from probe.scenarios.steps.handshakes import AskForCertificates, Flaw, SpoilHandshakes
from probe.scenarios.steps.logins import CutAllConnections

SPOILED = replace(
    expect(
        Symptom.CONNECTION,
        Reaction.RETRY,
        target=Target.CLUSTER,
        fails="failed TLS handshake",
        prompt_ms=15_000,
        watch_ms=50_000,
    ),
    conforms=(*CONFORMS[Reaction.RETRY], *CONFORMS[Reaction.SURFACE]),
)
"""An error may reach the application, since waiting does not mend a certificate."""


REAL_SINCE, REAL_REASON = "2.7", "brokers read keys and certificates as text from 2.7 on (PEM, KIP-651)"
"""The first line whose brokers get the run's certificates, and why."""


def own_tls(variants: tuple[RoleVariant, ...]) -> tuple[RoleVariant, ...]:
    """Return the same for real brokers, which end TLS themselves."""
    return tuple(replace(variant, cluster=replace(variant.cluster, own_tls=True)) for variant in variants)


def spoiled_variants(by: Flaw | None, *, at_start: bool = False) -> tuple[RoleVariant, ...]:
    """Return the variant: all connections are cut, and new ones meet the flaw for `REFUSED_MS`.

    With `at_start` nothing is cut, and the client's first ones meet it, too. None: certificates are asked for.
    """
    spoiled = AskForCertificates() if by is None else SpoilHandshakes(by=by)
    conforms = (*SPOILED.conforms, Outcome.FATAL) if at_start else SPOILED.conforms
    return (
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=replace(SPOILED, conforms=conforms),
            steps=(spoiled,) if at_start else (spoiled, CutAllConnections()),
            heal_after_ms=REFUSED_MS,
            at_start=at_start,
        ),
    )
