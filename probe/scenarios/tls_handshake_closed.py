"""Brokers end every connection inside the TLS handshake for 20 s, without an alert.

What the brokers do: all connections are reset. New ones are accepted and ended after the client's first bytes, as a
proxy does whose brokers are away, and as a PLAINTEXT listener does. Real brokers do it by such a listener.
The error a client meets: a reset, then the end of the stream in place of the broker's part of the handshake.
What a good client does: tries again at its back-off, and works by itself once handshakes succeed. It can name no better
reason than the end of the stream inside the handshake.
Source: a load balancer without a back end; Kafka's listener of PLAINTEXT, which ends the connection of a TLS client.
Not covered: a handshake that hangs.
"""

from probe.scenarios.handshake_variants import REAL_REASON, REAL_SINCE, own_tls, spoiled_variants
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.handshakes import Flaw

PARTS = spoiled_variants(Flaw.CLOSED)

SCENARIO = Scenario(
    name="tls/handshake-closed",
    story=__doc__,
    security=security_of("tls/handshake-closed"),
    asked=True,
    variants=PARTS,
    real=own_tls(PARTS),
    real_since=REAL_SINCE,
    real_reason=REAL_REASON,
)
