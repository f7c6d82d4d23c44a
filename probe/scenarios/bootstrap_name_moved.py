"""All brokers are replaced; only the bootstrap name stays, and leads to another IP address.

What the brokers do: all connections are cut and every address refuses for a second. Then the brokers return with other
names, ports and IP addresses, which Metadata names. Their former names do not exist any more (NXDOMAIN). The client's
one bootstrap name leads to another IP address, on the same port; the former one refuses.
The error a client meets: resets, then refused connections and names that cannot be looked up.
What a good client does: looks its bootstrap name up again, asks there, and continues to work.
Source: KIP-899 and KIP-1102; confluentinc/librdkafka #5605, redpanda-data/connect #4476; services of Kubernetes and
names of load balancers, whose addresses change while clients run.
Not covered: real brokers; a cluster id that changes.
"""

from dataclasses import replace

from probe.model import Engine
from probe.scenarios import bootstrap_addresses_changed as numbered
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.brokers import ChangeAddresses

SCENARIO = Scenario(
    name="bootstrap/name-moved",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    asked=True,
    variants=tuple(
        replace(variant, steps=(ChangeAddresses(down_ms=1000, behind_name=True),), by_name=True)
        for variant in numbered.SCENARIO.variants
    ),
)
