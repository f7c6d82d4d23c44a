"""All brokers are gone for 28 s, and return at the same addresses.

What the brokers do: as in cluster/restart, but every port refuses for 28 s. Leaders and coordinators are in office 2 s
later, half a minute after the fault. Real brokers are killed, and started after 28 s.
The error a client meets: closed and refused connections to all brokers, for longer than most retries last.
What a good client does: tries all addresses at its back-off until one answers. Its producer reports the records whose
own time-out has passed meanwhile, and keeps the others. It continues by itself; an error to the application is
permitted. Prompt is 15 s: the longest default pause between two attempts is 10 s (librdkafka).
Source: as in cluster/restart; tulios/kafkajs #1299: the consumer ended for good once its retries were spent.
Not covered: an outage that outlasts the delivery time-out of 2 to 5 minutes.
"""

from dataclasses import replace

from probe.model import Reaction, Symptom, Target
from probe.scenarios.cluster_stops import real_variants_of_the_cluster, variants_of_the_cluster
from probe.scenarios.scenario import CONFORMS, Scenario, expect

DOWN_MS = 28_000
PLAY = replace(
    expect(
        Symptom.CONNECTION, Reaction.RETRY, target=Target.CLUSTER, codes=(5, 6, 74), prompt_ms=15_000, watch_ms=60_000
    ),
    conforms=(*CONFORMS[Reaction.RETRY], *CONFORMS[Reaction.SURFACE]),
)

SCENARIO = Scenario(
    name="cluster/outage",
    story=__doc__,
    variants=variants_of_the_cluster(PLAY, DOWN_MS),
    real=real_variants_of_the_cluster(PLAY, DOWN_MS),
)
