"""A broker is stopped with a controlled shutdown: its leaders move first, then it closes its connections.

What the brokers do: on SIGTERM the broker asks the controller to move its leaderships (controlled shutdown). From then
on it answers NOT_LEADER_OR_FOLLOWER (6) and NOT_COORDINATOR (16). Then it ends: connections are closed, its port
refuses, Metadata no longer lists it. With ZooKeeper it ends some milliseconds after its leaders moved, with KRaft 2 s.
The error a client meets: 6 on Produce and Fetch, 16 on group APIs, then closed connections.
What a good client does: asks for metadata because of the error or the lost connection, and goes to the new leader.
Source: KafkaServer.controlledShutdown, KIP-631; every rolling upgrade does this to every broker.
Not covered: a shutdown that hangs (broker/shutdown-hung); several brokers in turn (broker/rolling).
"""

from probe.model import Reaction, Symptom, Target, Trigger
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, Resign, StopBroker, When

SCENARIO = Scenario(
    name="broker/shutdown",
    story=__doc__,
    variants=(
        RoleVariant(
            roles=CLIENT_ROLES,
            expectation=expect(
                Symptom.ANSWER,
                Reaction.DISCOVER,
                target=Target.LEADER,
                codes=(6, 74),
                causes=(Trigger.ERROR, Trigger.DISCONNECT),
                election_ms=150,
                prompt_ms=3000,
                watch_ms=15000,
            ),
            steps=(
                Resign(),
                Evacuate(when=When(elected=True, from_hit=True), leaves=True, loading_ms=300),
                StopBroker(when=When(elected=True, from_hit=True, lingers=True), listed=False),
            ),
            whole_broker=True,
        ),
    ),
)
