"""Two brokers return with each other's address: where one was, another one answers.

What the brokers do: the failing broker and another one are killed: connections end and ports refuse, and Metadata still
lists both, as their sessions last. After a second the other one serves at the failing broker's former address; after
two the failing broker serves at the other one's, with its id, leaderships and keys. Metadata names both new addresses
from the first return on. On real brokers the affected partition has its only replica at the failing broker. From 4.4 on
a broker answers REBOOTSTRAP_REQUIRED (129) to an ApiVersions request that names another cluster or node (KIP-1242).
The error a client meets: reset and refused connections, then a broker at the known address that is not the one it
looks for: NOT_LEADER_OR_FOLLOWER (6) or NOT_COORDINATOR (16), again and again, while Metadata says that all is well.
What a good client does: connects to the address that Metadata names for the id, and gives up the connection to the
former one, although that is open and answers.
Source: KAFKA-20393, KAFKA-20394, KIP-1242; pods and virtual machines that get each other's former address.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: an address that belongs to another cluster (cluster/replaced); a former address that is gone
(broker/address-changed).
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.broker_variants import real_variant_led_alone, variants_of_a_broker
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import SwapAddresses

STEP = SwapAddresses(turn=2, other_ms=1000, down_ms=2000)
PLAY = expect(Symptom.CONNECTION, Reaction.DISCOVER, target=Target.LEADER, prompt_ms=3000, watch_ms=15_000)
REAL_WATCH_MS = 55_000
"""Two brokers start one after the other."""

SCENARIO = Scenario(
    name="broker/address-reused",
    story=__doc__,
    variants=variants_of_a_broker(PLAY, STEP),
    real=real_variant_led_alone(PLAY, STEP, watch_ms=REAL_WATCH_MS, bystander=(1,)),
)
