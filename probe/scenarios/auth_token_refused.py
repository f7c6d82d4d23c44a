"""Every broker refuses the first token that it is given after a cut, and takes the same one the next time.

What the brokers do: all connections are reset. Each broker answers the next log-in as one whose set of keys is older
than the token's signature: it refuses the token, fetches the keys, and knows them from then on. 5 s after the fault
nothing is refused any more.
The error a client meets: a reset, then {"status":"invalid_token"} in the answer to its token, once at each broker, and
SASL_AUTHENTICATION_FAILED (58) with the same text when it has taken that (RFC 7628, 3.2.3; AuthenticationException, not
retriable). A client that goes on as if it were logged in gets ILLEGAL_SASL_STATE (34).
What a good client does: tells the application the reason, logs in again at its back-off, with a new token or the same
one, and works within seconds. Records may wait or fail meanwhile. Prompt is 15 s, as in auth/token-server-away.
Source: RefreshingHttpsJwks.maybeExpediteRefresh of Kafka 4.4 (KIP-768); strimzi-kafka-oauth #120.
Not covered: a client that starts meanwhile; a token that is refused at each attempt; real brokers.
"""

from dataclasses import replace

from probe.protocol.apis import FIND_COORDINATOR, LOG_APIS, METADATA, SASL_APIS
from probe.scenarios.login_variants import ENGINES_HERE, REFUSED
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario
from probe.scenarios.steps.logins import CutAllConnections, RefuseFirstToken

FIRST_APIS = (METADATA, FIND_COORDINATOR, *LOG_APIS)
"""APIs with which a client goes on that takes the refusal for a success."""
KNOWN_MS = 5000
"""Time after which every broker knows the signer, in ms: beyond the pause before a client's first attempt."""

SCENARIO = Scenario(
    name="auth/token-refused",
    story=__doc__,
    security=security_of("auth/token-refused"),
    engines=ENGINES_HERE,
    asked=True,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=replace(REFUSED, codes=(34, 58), apis=(*SASL_APIS, *FIRST_APIS), watch_ms=30_000),
            steps=(RefuseFirstToken(), CutAllConnections()),
            heal_after_ms=KNOWN_MS,
        ),
    ),
)
