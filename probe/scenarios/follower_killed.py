"""The follower that serves a reader is killed; the leader stays.

What the brokers do: brokers have racks, and the leader has sent the reader to the follower in its rack (KIP-392). That
broker's process is killed (SIGKILL): connections end, its port refuses. The leader stays in office and serves. For the
broker's session (9 s on KRaft, 6 s on ZooKeeper) the dead follower counts as in sync, so the leader goes on to send the
reader there, and real brokers show no new record to anybody. Then it leaves the ISR and Metadata.
The error a client meets: a closed connection, refused connections, and a leader that names the dead follower again.
What a good client does: gives the follower up at the first lost connection and asks the leader, until that serves it.
It reads on without a gap as soon as the session is over: recovery is counted from there.
Source: KIP-392; ReplicaManager.findPreferredReadReplica of 3.9.2; IBM/sarama #2464, segmentio/kafka-go #1434.
Not covered: the follower's return; a second follower in the same rack.
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.follower_variants import variants_of_a_follower
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import Evacuate, StopBroker, When

SCENARIO = Scenario(
    name="follower/killed",
    story=__doc__,
    asked=True,
    since="2.4",
    since_reason="followers serve readers since then (KIP-392)",
    variants=variants_of_a_follower(
        expect(Symptom.CONNECTION, Reaction.RETRY, target=Target.FOLLOWER, prompt_ms=3000, watch_ms=30000),
        StopBroker(),
        Evacuate(when=When(elected=True), leaves=True),
        by_session=True,
    ),
)
