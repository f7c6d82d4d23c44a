"""A leader moves, and Metadata twice answers that the client has to start over from its bootstrap addresses.

What the brokers do: the affected partition has another leader, and the old one has lost its replica. The first two
Metadata requests of version 13 or newer are answered REBOOTSTRAP_REQUIRED (129), without brokers and topics; the next
ones well.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6) from the old leader, then 129 for the whole answer.
What a good client does: goes back to the addresses of its configuration, asks there, and continues without an error to
the application.
Source: KIP-1102; proxies and managed services that move a client to other brokers.
Not covered: clients whose Metadata requests are older; 129 in ApiVersions (KIP-1242).
"""

from probe.model import Engine, Reaction, Symptom, Target
from probe.protocol.apis import METADATA
from probe.protocol.names import error_code
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import AnswerError, MoveLeader

REBOOTSTRAP_REQUIRED = error_code("REBOOTSTRAP_REQUIRED")
VERSION, TIMES = 13, 2

SCENARIO = Scenario(
    name="metadata/rebootstrap-required",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    since="4.0",
    since_reason="older brokers know Metadata requests up to version 12 only, which cannot carry the error",
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.ANSWER,
                Reaction.RETRY,
                target=Target.CLUSTER,
                codes=(REBOOTSTRAP_REQUIRED,),
                apis=(METADATA,),
                prompt_ms=3000,
                watch_ms=10_000,
            ),
            steps=(
                MoveLeader(drop_replica=True),
                AnswerError(
                    api=METADATA, code=REBOOTSTRAP_REQUIRED, times=TIMES, min_version=VERSION, whole_topic=True
                ),
            ),
        ),
    ),
)
