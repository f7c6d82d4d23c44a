"""The password of connected clients is changed, their connections are cut, and 20 s later it is put back.

What the brokers do: the user gets another password, which nobody notices while connected. Then all connections are
reset. Every log-in is refused, after the pause of KIP-306, and its connection ended. 20 s after the fault the former
password is right again.
The error a client meets: a reset, then SASL_AUTHENTICATION_FAILED (58) at every attempt (AuthenticationException, not
retriable).
What a good client does: tells the application the reason, tries again at its back-off, and works by itself once the
password is right. Records may wait or fail meanwhile. Prompt is 15 s: the longest default pause between two attempts is
10 s (librdkafka).
Source: a password that is rotated before its clients are; KIP-152, KIP-306; confluent-kafka-python #1485.
Not covered: connections that live on until their session ends; real brokers.
"""

from probe.scenarios.login_variants import ENGINES_HERE, refused_variants
from probe.scenarios.own_profiles import security_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.logins import Refusal

SCENARIO = Scenario(
    name="auth/password-rotated",
    story=__doc__,
    security=security_of("auth/password-rotated"),
    engines=ENGINES_HERE,
    asked=True,
    variants=refused_variants(Refusal.CREDENTIALS),
)
