"""A leader moves, and the brokers that a client knows go on answering that it has to start over.

What the brokers do: the affected partition has another leader, and the old one has lost its replica. At the addresses
that Metadata names, every Metadata request of version 13 or newer is answered REBOOTSTRAP_REQUIRED (129), without
brokers and topics. The client's one bootstrap address, which is no broker's, serves.
The error a client meets: NOT_LEADER_OR_FOLLOWER (6) from the old leader, then 129 for the whole answer.
What a good client does: goes back to the address of its configuration, asks there, and continues without an error to
the application.
Source: KIP-1102; confluentinc/librdkafka 5605; a bootstrap name that leads to other brokers than those that a client
knows.
Not covered: clients whose Metadata requests are older; brokers of another cluster (cluster/replaced).
"""

from probe.model import Engine, Reaction, Symptom, Target, Trigger
from probe.protocol.apis import METADATA
from probe.scenarios.metadata_rebootstrap_required import REBOOTSTRAP_REQUIRED, VERSION
from probe.scenarios.scenario import CLIENT_ROLES, Bootstrap, RoleVariant, Scenario, expect
from probe.scenarios.steps.partitions import AnswerError, MoveLeader

SCENARIO = Scenario(
    name="metadata/rebootstrap-for-good",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    since="4.0",
    since_reason="older brokers know Metadata requests up to version 12 only, which cannot carry the error",
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.ANSWER,
                Reaction.DISCOVER,
                target=Target.CLUSTER,
                codes=(REBOOTSTRAP_REQUIRED,),
                apis=(METADATA,),
                causes=(Trigger.ERROR, Trigger.BOOTSTRAP),
                prompt_ms=3000,
                watch_ms=10_000,
            ),
            steps=(
                MoveLeader(drop_replica=True),
                AnswerError(
                    api=METADATA, code=REBOOTSTRAP_REQUIRED, min_version=VERSION, whole_topic=True, known_only=True
                ),
            ),
            bootstrap=Bootstrap.FIXED,
        ),
    ),
)
"""Any useful answer comes from the bootstrap address, so an answer that names the leader is proof that it was asked."""
