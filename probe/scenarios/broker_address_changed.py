"""A broker returns with its id at another address; the old address refuses for good.

What the brokers do: the broker stops: its connections are reset and its port refuses. For 2 s Metadata does not list
it, and what it led or coordinated has no other leader (LEADER_NOT_AVAILABLE, 5) or coordinator
(COORDINATOR_NOT_AVAILABLE, 15). Then it serves on another port, which Metadata names, with the same id, leaderships and
keys. On real brokers it is shut down, and the affected partition has its only replica there.
The error a client meets: reset and refused connections at the address that it knows for this id.
What a good client does: asks the others because of the lost connection, and connects to the new address of the same id.
It must not keep the old address because the id has not changed.
Source: pods and virtual machines that return with another address; confluentinc/librdkafka #343, tulios/kafkajs #453,
dpkp/kafka-python #1083, zendesk/ruby-kafka #440.
Groups and transactions lose their coordinator, with both partitions elsewhere; the others lose their leader.
Not covered: the old address belongs to another broker; all addresses change (bootstrap/addresses-changed).
"""

from probe.model import Reaction, Symptom, Target
from probe.scenarios.broker_variants import real_variant_led_alone, variants_of_a_broker
from probe.scenarios.scenario import Scenario, expect
from probe.scenarios.steps.brokers import ChangeAddress

SILENT = """A broker returns with its id at another address; the old address is silent, its connections half open.

What the brokers do: as in broker/address-changed, but nothing is reset or refused. The old port answers nothing and
accepts nothing from then on. On real brokers it is shut down, and the affected partition has its only replica there.
The error a client meets: silence at the address that it knows for this id, while Metadata names another one.
What a good client does: connects to the new address once Metadata names it, or gives the old connection up at its own
time-out. Prompt is that time-out plus 5 s.
Source: a virtual machine that moves, a load balancer that forgets; KAFKA-12193: an open connection to a former address
is kept as long as nothing ends it.
Not covered: a broker that returns at the same address (net/blackhole).
"""

DOWN_MS = 2000
STEP = ChangeAddress(down_ms=DOWN_MS)
PLAY = expect(Symptom.CONNECTION, Reaction.DISCOVER, target=Target.LEADER, prompt_ms=3000, watch_ms=15_000)
REAL_WATCH_MS = 45_000

SCENARIO = Scenario(
    name="broker/address-changed",
    story=__doc__,
    variants=variants_of_a_broker(PLAY, STEP),
    real=real_variant_led_alone(PLAY, STEP, watch_ms=REAL_WATCH_MS, bystander=(1, 2)),
)

SILENT_PLAY = expect(Symptom.SILENCE, Reaction.DISCOVER, target=Target.LEADER, prompt_ms=5000, watch_ms=90_000)
SILENT_STEP = ChangeAddress(down_ms=DOWN_MS, silent=True)

VARIANTS = (
    Scenario(
        name="broker/address-changed/silent",
        story=SILENT,
        variants=variants_of_a_broker(SILENT_PLAY, SILENT_STEP, silent=True),
        real=real_variant_led_alone(
            SILENT_PLAY, SILENT_STEP, watch_ms=SILENT_PLAY.watch_ms, bystander=(1, 2), silent=True
        ),
    ),
)
