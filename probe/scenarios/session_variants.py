"""Role variants of scenarios with sessions of a few seconds."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Reaction, Role, Symptom, Target
from probe.protocol.apis import SASL_APIS
from probe.scenarios.cluster_spec import ClusterSpec
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, expect

SESSION_MS = 5000
"""Length of a session, in ms: above the second that brokers demand between two log-ins."""
WATCHED_MS = 4 * SESSION_MS + 1000
REST_MS = 12_000
"""Time at rest, in ms: two sessions end in it."""
SINCE, SINCE_REASON = "2.2", "sessions end since KIP-368"
PLAY = expect(
    Symptom.CONNECTION,
    Reaction.NOTHING,
    target=Target.CLUSTER,
    codes=(34,),
    apis=SASL_APIS,
    prompt_ms=3000,
    watch_ms=WATCHED_MS,
)


def session_variants() -> tuple[RoleVariant, ...]:
    """Return the variant of an application that works."""
    cluster = ClusterSpec(session_ms=SESSION_MS)
    return (RoleVariant(roles=CLIENT_ROLES, expectation=PLAY, watch_least_ms=WATCHED_MS, cluster=cluster),)


def idle_session_variants() -> tuple[RoleVariant, ...]:
    """Return the variant of a writer that rests for `REST_MS` from the fault on."""
    (working,) = session_variants()
    return (replace(working, roles=(Role.PRODUCER,), idle_ms=REST_MS),)
