"""A client's permissions are revoked while it works, and restored 20 s later.

What the brokers do: the authorizer denies the topic, the group and the transactional id. All brokers answer
TOPIC_AUTHORIZATION_FAILED (29) to work on the topic and in Metadata about it, GROUP_AUTHORIZATION_FAILED (30) and
TRANSACTIONAL_ID_AUTHORIZATION_FAILED (53) to requests about the keys. Connections stay. 20 s after the fault all is
allowed again.
The error a client meets: 29, 30 or 53 (AuthorizationException, not retriable).
What a good client does: reports it to the application at once, and works again by itself once it is allowed. A
transactional producer may end with it (KafkaProducer: fatal). Prompt is 15 s, as in auth/password-rotated.
Source: KafkaApis of Kafka 3.9.2: authorize before each API; a rule that was deleted by mistake.
Not covered: CLUSTER_AUTHORIZATION_FAILED (31); real brokers, which have no authorizer here.
"""

from dataclasses import replace

from probe.model import Outcome, Reaction, Role, Symptom, Target
from probe.scenarios.login_variants import ENGINES_HERE, REFUSED_MS
from probe.scenarios.scenario import CLIENT_ROLES, CONFORMS, RoleVariant, Scenario, expect
from probe.scenarios.steps.logins import RevokePermissions

PLAY = replace(
    expect(
        Symptom.ANSWER, Reaction.RETRY, target=Target.CLUSTER, codes=(29, 30, 53), prompt_ms=15_000, watch_ms=50_000
    ),
    conforms=(*CONFORMS[Reaction.RETRY], *CONFORMS[Reaction.SURFACE]),
)
VARIANT = RoleVariant(
    roles=CLIENT_ROLES, expectation=PLAY, steps=(RevokePermissions(),), heal_after_ms=REFUSED_MS, whole_broker=True
)

SCENARIO = Scenario(
    name="auth/revoked",
    story=__doc__,
    engines=ENGINES_HERE,
    asked=True,
    variants=(
        VARIANT,
        replace(
            VARIANT,
            roles=(Role.TRANSACTIONAL,),
            expectation=replace(PLAY, conforms=(*PLAY.conforms, Outcome.FATAL)),
        ),
    ),
)
