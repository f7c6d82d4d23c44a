"""A client starts with a certificate of an authority that brokers do not trust; after 20 s they trust it.

What the brokers do: they ask for a certificate of the client in each handshake (ssl.client.auth=required), and refuse
one of the clients' authority. 20 s after the fault they accept it.
The error a client meets: as in tls/client-certificate-missing, with the alert unknown_ca.
What a good client does: as in tls/client-certificate-missing.
Source: ssl.client.auth and ssl.truststore.location of Kafka's broker configurations; an authority that brokers do not
have yet.
Not covered: real brokers, whose alert is another one (certificate_unknown of the JVM); a certificate that is renewed on
disk while the client runs.
"""

from probe.scenarios.handshake_variants import spoiled_variants
from probe.scenarios.login_variants import ENGINES_HERE
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.handshakes import Flaw

SCENARIO = Scenario(
    name="tls/client-certificate-refused",
    story=__doc__,
    security=security_of("tls/client-certificate-refused"),
    engines=ENGINES_HERE,
    asked=True,
    variants=spoiled_variants(Flaw.CLIENT_REFUSED, at_start=True),
)
