"""Role variants of scenarios in which log-ins are refused for a while."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Engine, Outcome, Reaction, Symptom, Target
from probe.protocol.apis import SASL_APIS
from probe.scenarios.scenario import CLIENT_ROLES, CONFORMS, RoleVariant, expect
from probe.scenarios.steps.logins import CutAllConnections, Refusal, RefuseLogins

ENGINES_HERE = (Engine.EMBEDDED,)
REFUSED_MS = 20_000
"""Time for which log-ins or permissions are refused, in ms."""
REFUSED = replace(
    expect(
        Symptom.CONNECTION,
        Reaction.RETRY,
        target=Target.CLUSTER,
        codes=(33, 58),
        apis=SASL_APIS,
        prompt_ms=15_000,
        watch_ms=50_000,
    ),
    conforms=(*CONFORMS[Reaction.RETRY], *CONFORMS[Reaction.SURFACE]),
)
"""An error may reach the application, since waiting does not mend a password."""


def refused_variants(by: Refusal, *, at_start: bool = False) -> tuple[RoleVariant, ...]:
    """Return the variant: all connections are cut and log-ins refused for `REFUSED_MS`; or they are from the start."""
    refused = RefuseLogins(by=by)
    conforms = (*REFUSED.conforms, Outcome.FATAL) if at_start else REFUSED.conforms
    return (
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=replace(REFUSED, conforms=conforms),
            steps=(refused,) if at_start else (refused, CutAllConnections()),
            heal_after_ms=REFUSED_MS,
            at_start=at_start,
        ),
    )
