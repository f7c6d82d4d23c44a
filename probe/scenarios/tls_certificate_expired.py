"""The certificate of the brokers expires under connected clients, their connections are cut; 20 s later it is renewed.

What the brokers do: they serve a certificate whose time is over. Nobody notices while connected; then all connections
are reset. 20 s after the fault a valid certificate is served.
The error a client meets: a reset, then a certificate at every handshake that it has to refuse.
What a good client does: tells the application the reason, tries again at its back-off, and works by itself once the
certificate is renewed. Records may wait or fail meanwhile. Prompt is 15 s, as in auth/password-rotated.
Source: RFC 5280, section 6.1.3; certificates that nobody renewed.
Not covered: the moment of the expiry itself, which open connections outlive (docs/security.md).
"""

from probe.scenarios.handshake_variants import REAL_REASON, REAL_SINCE, own_tls, spoiled_variants
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.handshakes import Flaw

PARTS = spoiled_variants(Flaw.EXPIRED)

SCENARIO = Scenario(
    name="tls/certificate-expired",
    story=__doc__,
    security=security_of("tls/certificate-expired"),
    asked=True,
    variants=PARTS,
    real=own_tls(PARTS),
    real_since=REAL_SINCE,
    real_reason=REAL_REASON,
)
