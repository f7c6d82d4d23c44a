"""A second member joins the group while Metadata lists the topic without one of its partitions.

What the brokers do: for 15 s every Metadata answer lists one partition less than there are, without an error, while the
partition is read and written as before. A second member joins meanwhile, so the group is balanced. Then all are listed.
The error a client meets: none. Who assigns the partitions knows one less.
What a good client does: notices at its next refresh that the topic has another partition than at the assignment, and
joins again, so that it gets an owner. In profile refresh-1s that is at most a second later.
Source: segmentio/kafka-go #847; brokers with ZooKeeper learn partitions one UpdateMetadata after the other.
Not covered: a client that refreshes nothing, for which any other profile asks; a topic that grows (topic/grown).
"""

from probe.model import Engine, Target
from probe.scenarios.absences import variant_of_joining
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.topics import HidePartition

SCENARIO = Scenario(
    name="group/member-joins-incomplete",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    profile=profile_of("group/member-joins-incomplete"),
    variants=(variant_of_joining(HidePartition(), target=Target.CLUSTER),),
)
