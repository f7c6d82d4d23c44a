"""Tokens live for 15 s, and the token server is away for 30 s: no client gets a new one.

What the brokers do: they answer a log-in with the rest of its token's life as the session's length, and end a
connection at its first other request after it. A token that is over is refused. The token server answers every request
with 503 from the fault on; 30 s later it gives tokens again. Nothing else happens to connections.
The error a client meets: no new token; then the end of the connections, each at the end of its token, and
SASL_AUTHENTICATION_FAILED (58) {"status":"invalid_token"} if it logs in with the old one.
What a good client does: tells the application the reason, asks again at its back-off, and works by itself once it gets
a token. Records may wait or fail meanwhile. Prompt is 15 s: the longest default pause between two requests for a token
is 10 s (kafka-clients, librdkafka).
Source: KIP-255, KIP-368, KIP-768; confluent-kafka-python #1485, strimzi-kafka-oauth #123.
Not covered: a client that starts meanwhile; a token server that does not answer at all; real brokers.
"""

from dataclasses import replace

from probe.scenarios.login_variants import ENGINES_HERE, REFUSED
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario
from probe.scenarios.steps.logins import LeaveTokenServer

TOKEN_MS, AWAY_MS = 15_000, 30_000
"""Lifetime of tokens, and the time without a new one, in ms. The first is above the 10 s that KafkaJS needs between two
log-ins (reauthenticationThreshold)."""

SCENARIO = Scenario(
    name="auth/token-server-away",
    story=__doc__,
    security=security_of("auth/token-server-away"),
    engines=ENGINES_HERE,
    asked=True,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=replace(REFUSED, codes=(58,), fails="refused token", watch_ms=60_000),
            steps=(LeaveTokenServer(),),
            heal_after_ms=AWAY_MS,
            token_ms=TOKEN_MS,
        ),
    ),
)
