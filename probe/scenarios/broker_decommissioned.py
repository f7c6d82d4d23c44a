"""A broker is removed from the cluster: its replicas are reassigned, then it stops for good.

What the brokers do: leaders and coordinators move away and the broker loses its replicas. It answers
NOT_LEADER_OR_FOLLOWER (6). Three seconds later its process ends and Metadata no longer lists it. Its address may still
be in the client's bootstrap list.
The error a client meets: 6 on Produce and Fetch, 16 on group APIs; later closed and refused connections.
What a good client does: follows because of the error, and reports no error to the application when the broker goes.
Source: kafka-reassign-partitions, then kafka-cluster unregister (KIP-746).
Not covered: the time that copying takes.
"""

from probe.model import Reaction, Symptom, Target, Trigger
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, StopBroker, When

SCENARIO = Scenario(
    name="broker/decommissioned",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.ANSWER,
                Reaction.DISCOVER,
                target=Target.LEADER,
                codes=(6, 74, 3, 100),
                causes=(Trigger.ERROR, Trigger.DISCONNECT),
                prompt_ms=5000,
                watch_ms=30000,
            ),
            steps=(
                Evacuate(drop_replicas=True, loading_ms=300),
                StopBroker(when=When(after_ms=3000), listed=False),
            ),
            whole_broker=True,
        ),
    ),
)
