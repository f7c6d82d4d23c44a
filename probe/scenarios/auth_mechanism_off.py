"""The mechanism of connected clients is switched off and their connections are cut; 20 s later it is on again.

What the brokers do: sasl.enabled.mechanisms names another mechanism, and all connections are reset, as by a rolling
restart with that configuration. SaslHandshake is answered with the list of what is enabled, after the pause of
KIP-306, and the connection ended. 20 s after the fault the mechanism is enabled again.
The error a client meets: a reset, then UNSUPPORTED_SASL_MECHANISM (33) with the list at every attempt
(UnsupportedSaslMechanismException, not retriable).
What a good client does: tells the application the reason with the list, tries again at its back-off, and works by
itself once the mechanism is back. Prompt is 15 s, as in auth/password-rotated.
Source: SaslServerAuthenticator.handleHandshakeRequest of Kafka 4.4; KIP-43.
Not covered: a client that starts meanwhile; real brokers, which read their mechanisms when they start.
"""

from probe.scenarios.login_variants import ENGINES_HERE, refused_variants
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.logins import Refusal

SCENARIO = Scenario(
    name="auth/mechanism-off",
    story=__doc__,
    security=security_of("auth/mechanism-off"),
    engines=ENGINES_HERE,
    asked=True,
    variants=refused_variants(Refusal.MECHANISM),
)
