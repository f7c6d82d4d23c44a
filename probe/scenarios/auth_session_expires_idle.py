"""Sessions last 5 s and end while the application rests for twelve seconds; then it works again.

What the brokers do: as in auth/session-expires. They take a log-in on a connection whose session has ended, too; any
other request ends it.
The error a client meets: none, if it logs in again by a timer or before the next request. Else the end of the stream at
the first request after the rest.
What a good client does: logs in again, at the latest before the next request, and the burst after the rest is served
without an error.
Source: KIP-368; SaslServerAuthenticator of Kafka 4.4 accepts SaslHandshake on an expired session.
Not covered: readers at rest, whose long polls and heartbeats keep the connections in use.
"""

from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.session_variants import SINCE, SINCE_REASON, idle_session_variants

SCENARIO = Scenario(
    name="auth/session-expires-idle",
    story=__doc__,
    security=security_of("auth/session-expires-idle"),
    since=SINCE,
    since_reason=SINCE_REASON,
    asked=True,
    variants=idle_session_variants(),
)
