"""All brokers stop at once, and are back at the same addresses after 2 s.

What the brokers do: all connections are cut and every port refuses for 2 s. Then all brokers serve again, and for 2 s
more no partition has a leader and no key a coordinator: Metadata has leader -1 and LEADER_NOT_AVAILABLE (5) for every
partition, replicas answer NOT_LEADER_OR_FOLLOWER (6), and FindCoordinator answers COORDINATOR_NOT_AVAILABLE (15). Then
leaders and coordinators are the same as before. Real brokers are killed (SIGKILL), and started after 2 s.
The error a client meets: closed and refused connections to all brokers at once, then 5, 6 and 15 from every one.
What a good client does: keeps what it has accepted, tries all addresses at its back-off, also those of its
configuration, and continues without an error to the application. Prompt is 5 s, since back-offs have grown meanwhile.
Source: a power failure, a restart of all containers; the state that users report most: IBM/sarama #3514, librdkafka
#5088, KafkaJS #1402, segmentio/kafka-go #387, aiokafka #703 and #1154.
Not covered: other addresses on return (bootstrap/addresses-changed); lost records (broker/unclean-election).
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.cluster_stops import real_variants_of_the_cluster, variants_of_the_cluster
from probe.scenarios.scenario import Scenario, expect

DOWN_MS = 2000
PLAY = expect(
    Symptom.CONNECTION, Reaction.RETRY, target=Target.CLUSTER, codes=(5, 6, 74), prompt_ms=5000, watch_ms=20_000
)

SCENARIO = Scenario(
    name="cluster/restart",
    story=__doc__,
    variants=variants_of_the_cluster(PLAY, DOWN_MS),
    real=real_variants_of_the_cluster(PLAY, DOWN_MS),
)
