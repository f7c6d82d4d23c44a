"""Sessions last 5 s, and the application works all the time.

What the brokers do: the listener has connections.max.reauth.ms=5000 from the client's start on. They say so in the
answer to the last SaslAuthenticate, accept another log-in on the connection at any time a second or more after the last
one, and end a connection at its first other request after the session. They are watched for four sessions.
The error a client meets: none, if it logs in again in time (KIP-368). Else the end of a connection that it is about to
use, each 5 s; for a second log-in within a second ILLEGAL_SASL_STATE (34), and the end of the connection.
What a good client does: logs in again on the open connection before the session ends, and notices nothing. The fact
`fault_hits` counts the connections that brokers ended: none of such a client.
Source: KIP-368; SaslServerAuthenticator of Kafka 4.4; aiokafka #1015, #1080.
Not covered: sessions that end while a leader moves or a broker rolls; tokens, which have an end of their own.
"""

from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.session_variants import SINCE, SINCE_REASON, session_variants

SCENARIO = Scenario(
    name="auth/session-expires",
    story=__doc__,
    security=security_of("auth/session-expires"),
    since=SINCE,
    since_reason=SINCE_REASON,
    asked=True,
    variants=session_variants(),
)
