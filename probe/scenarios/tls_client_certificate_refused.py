"""A client starts with a certificate of an authority that brokers do not trust; after 20 s they trust it.

What the brokers do: they ask for a certificate of the client in each handshake (ssl.client.auth=required), and refuse
one of the clients' authority. 20 s after the fault they accept it.
The error a client meets: as in tls/client-certificate-missing, with the alert unknown_ca.
What a good client does: as in tls/client-certificate-missing.
Source: ssl.client.auth and ssl.truststore.location of Kafka's broker configurations; an authority that brokers do not
have yet.
Not covered: a certificate that is renewed on disk while the client runs.
"""

from probe.scenarios.handshake_variants import REAL_REASON, REAL_SINCE, own_tls, spoiled_variants
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.handshakes import Flaw

PARTS = spoiled_variants(Flaw.CLIENT_REFUSED, at_start=True)

SCENARIO = Scenario(
    name="tls/client-certificate-refused",
    story=__doc__,
    security=security_of("tls/client-certificate-refused"),
    asked=True,
    variants=PARTS,
    real=own_tls(PARTS),
    real_since=REAL_SINCE,
    real_reason=REAL_REASON,
)
