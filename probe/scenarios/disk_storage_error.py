"""A disk of a broker dies: leaders move away, the old broker answers KAFKA_STORAGE_ERROR until it restarts.

What the brokers do: within a second the controller elects another leader for every partition that was led from the dead
log dir (KIP-112). The old broker stays up and keeps its healthy log dirs. It answers KAFKA_STORAGE_ERROR (56) for its
offline replicas for as long as it runs. Brokers 1.0 to 2.7 answer NOT_LEADER_OR_FOLLOWER (6) instead to Produce up to
v3, all brokers to Fetch up to v5.
The error a client meets: 56 on Produce, Fetch, ShareFetch, ListOffsets, OffsetForLeaderEpoch. A real broker keeps a
Produce with acks=all that was in flight until its timeout and answers REQUEST_TIMED_OUT (7). Requests behind it wait as
well.
What a good client does: asks for metadata because of the error, and goes to the new leader.
Source: KIP-112; IBM/sarama #2939 (fixed in 1.43.3); confluentinc/librdkafka #3026, #3067; the incident in the README.
Not covered: the disk of the coordinator's log (disk/offsets-storage-error), a restart with the disk still broken.
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.scenario import CLIENT_ROLES, RoleVariant, Scenario, expect
from probe.scenarios.share_variants import of_share_groups
from probe.scenarios.steps.partitions import BreakLogDir

VARIANT = RoleVariant(
    roles=CLIENT_ROLES,
    expectation=expect(
        Symptom.ANSWER,
        Reaction.DISCOVER,
        target=Target.LEADER,
        codes=(56, 6, 7),
        election_ms=150,
        prompt_ms=3000,
        watch_ms=10000,
    ),
    steps=(BreakLogDir(),),
)

SCENARIO = Scenario(
    name="disk/storage-error",
    story=__doc__,
    real_since="1.0",
    real_reason="a broker halts at its first I/O error",
    variants=(VARIANT, of_share_groups(VARIANT)),
)
