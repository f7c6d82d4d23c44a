"""Brokers serve a certificate for another host, connections are cut; 20 s later the right one is back.

What the brokers do: they serve a certificate of the right authority whose only name is another host's, as after a move.
All connections are reset. 20 s after the fault the former certificate is served.
The error a client meets: a reset, then a certificate at every handshake that it has to refuse, unless the check of
names is switched off (`ssl.endpoint.identification.algorithm`).
What a good client does: as in tls/certificate-expired. A client that goes on writing checks no names, and every holder
of a certificate of that authority can be its broker.
Source: KIP-294; RFC 6125.
Not covered: names that resolve elsewhere.
"""

from probe.scenarios.handshake_variants import own_tls, spoiled_variants
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.handshakes import Flaw

PARTS = spoiled_variants(Flaw.OTHER_NAME)

SCENARIO = Scenario(
    name="tls/name-mismatch",
    story=__doc__,
    security=security_of("tls/name-mismatch"),
    asked=True,
    variants=PARTS,
    real=own_tls(PARTS),
    real_since="3.7",
    real_reason="brokers take a certificate with other names while they run from 3.7 on (KIP-978)",
)
