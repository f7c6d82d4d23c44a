"""A client starts with a password that brokers refuse; after 20 s it is right.

What the brokers do: they refuse every log-in of the user, after the pause of KIP-306, and end the connection. 20 s
after the fault the password is the client's.
The error a client meets: SASL_AUTHENTICATION_FAILED (58) "Authentication failed during authentication due to invalid
credentials with SASL mechanism ..." (AuthenticationException, not retriable); brokers before 1.0, and clients that use
SaslHandshake v0, have only the end of the connection.
What a good client does: tells the application the reason at once, and either works once the password is right, or ends
its start with that error. The facts `reason_by` and `reason_ms` say how and how soon.
Source: KIP-152, KIP-306; SaslServerAuthenticator of Kafka 4.4; aiokafka #1080.
Not covered: a user that does not exist, which brokers answer alike; real brokers, whose set-up logs in as the client.
"""

from probe.scenarios.login_variants import ENGINES_HERE, refused_variants
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.logins import Refusal

SCENARIO = Scenario(
    name="auth/wrong-password",
    story=__doc__,
    security=security_of("auth/wrong-password"),
    engines=ENGINES_HERE,
    asked=True,
    variants=refused_variants(Refusal.CREDENTIALS, at_start=True),
)
