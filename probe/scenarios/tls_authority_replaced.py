"""The brokers' authority is replaced before the clients trust it, connections are cut; 20 s later the former is back.

What the brokers do: they serve a certificate of another authority with the same name, which the clients do not trust.
All connections are reset. 20 s after the fault the former certificate is served.
The error a client meets: a reset, then a certificate at every handshake that it has to refuse.
What a good client does: as in tls/certificate-expired.
Source: RFC 5280, section 6.1; an authority that is rotated on brokers first.
Not covered: clients that read a new trust store.
"""

from probe.scenarios.handshake_variants import REAL_REASON, REAL_SINCE, own_tls, spoiled_variants
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.handshakes import Flaw

PARTS = spoiled_variants(Flaw.OTHER_AUTHORITY)

SCENARIO = Scenario(
    name="tls/authority-replaced",
    story=__doc__,
    security=security_of("tls/authority-replaced"),
    asked=True,
    variants=PARTS,
    real=own_tls(PARTS),
    real_since=REAL_SINCE,
    real_reason=REAL_REASON,
)
