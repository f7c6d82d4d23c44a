"""A client without a certificate starts while brokers ask for one; after 20 s they do no longer.

What the brokers do: they ask for a certificate of the client in each handshake (ssl.client.auth=required), and end one
without. 20 s after the fault they ask for none.
The error a client meets: an alert of TLS (certificate_required) and the end of the connection. By TLS 1.3 the client's
own handshake is over by then, so the alert comes with its first read (RFC 8446, 4.4.2.4).
What a good client does: tells the application the reason at once, and either works once nothing is asked for, or ends
its start with that error. The facts `reason_by` and `reason_ms` say how and how soon.
Source: ssl.client.auth of Kafka's broker configurations, switched on before clients have certificates.
Not covered: real brokers, which ask the clients of a listener from its start on, or never; connected clients.
"""

from probe.scenarios.handshake_variants import spoiled_variants
from probe.scenarios.login_variants import ENGINES_HERE
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario

SCENARIO = Scenario(
    name="tls/client-certificate-missing",
    story=__doc__,
    security=security_of("tls/client-certificate-missing"),
    engines=ENGINES_HERE,
    asked=True,
    variants=spoiled_variants(None, at_start=True),
)
