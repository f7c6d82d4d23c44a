"""The client's certificate is renewed on disk, and brokers trust the new one's authority only; after 20 s both.

What the brokers do: they ask for a certificate of the client (ssl.client.auth=required). Its file is replaced by one of
another authority, with the same name; from then on they trust that authority alone, and reset all connections. 20 s
after the fault they trust both.
The error a client meets: a reset. One that reads the file again at its next connection meets nothing more; one that has
read it at its start presents the former certificate, and gets the alert unknown_ca at every handshake.
What a good client does: reads the file again, and works within seconds. Else it tells the application the reason,
which has to start it anew, and works by itself once both are trusted. The fact `outage_ms` says which of both it did.
Source: certificates of some hours or days (cert-manager, Vault); librdkafka #2868 and #3157, kafkajs #1455,
kafka-python #1959, KAFKA-10731, all open.
Not covered: libraries that take no file, whose application can read it anew (GetClientCertificate of Go).
"""

from dataclasses import replace

from probe.scenarios.handshake_variants import REAL_REASON, REAL_SINCE, own_tls, spoiled_variants
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.handshakes import Flaw, RenewClientCertificate

PARTS = tuple(
    replace(variant, steps=(RenewClientCertificate(), *variant.steps))
    for variant in spoiled_variants(Flaw.CLIENT_REFUSED)
)

SCENARIO = Scenario(
    name="tls/client-certificate-renewed",
    story=__doc__,
    security=security_of("tls/client-certificate-renewed"),
    asked=True,
    variants=PARTS,
    real=own_tls(PARTS),
    real_since=REAL_SINCE,
    real_reason=REAL_REASON,
)
