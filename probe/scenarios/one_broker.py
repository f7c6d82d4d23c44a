"""The family `one-broker/<scenario>`: faults of connections, for a client that has connections to one broker only."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Target, Trigger
from probe.scenarios import broker_kill, net_blackhole, net_refused, net_reset
from probe.scenarios.scenario import Bootstrap, Scenario

PREFIX = "one-broker/"
STORY = """A client that is connected to one broker only: {summary}

What the brokers do: as in {name}. The failing broker leads both partitions and coordinates the group and the
transactional id, and its address is the only one in the client's configuration.
The error a client meets: as in {name}. It has no open connection on which it could ask for metadata.
What a good client does: as in {name}. It connects to another broker that Metadata named before, and asks there.
Source: confluentinc/librdkafka #2266; small topics, and clients of a single partition, are mostly in this state.
Not covered: a cluster of a single broker; a client that never got Metadata.
"""


def of_one_broker(base: Scenario) -> Scenario:
    """Return a scenario without a bystander at another broker; everything of the trial is at the failing broker."""
    first = base.variants[0]
    variant = replace(
        first,
        roles=base.roles,
        expectation=replace(
            first.expectation, target=Target.CLUSTER, causes=(*first.expectation.causes, Trigger.BOOTSTRAP)
        ),
        whole_broker=False,
        bootstrap=Bootstrap.FAILING,
    )
    story = STORY.format(name=base.name, summary=base.summary)
    return replace(base, name=PREFIX + base.name, story=story, variants=(variant,), real=())


VARIANTS = tuple(of_one_broker(module.SCENARIO) for module in (broker_kill, net_blackhole, net_refused, net_reset))
