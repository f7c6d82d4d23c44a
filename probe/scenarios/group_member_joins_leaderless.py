"""A second member joins the group while one partition has no leader.

What the brokers do: for 15 s Metadata has leader -1 and LEADER_NOT_AVAILABLE (5) for the partition, and its replica
answers NOT_LEADER_OR_FOLLOWER (6). A second member joins meanwhile, so the group is balanced. Then the same replica
leads again.
The error a client meets: 5 in Metadata; 6 on Fetch and ListOffsets.
What a good client does: assigns the partition although it has no leader, and the member that gets it reads it as soon
as it has one. Neither ends its session for it, nor leaves the partition to nobody.
Source: segmentio/kafka-go #387 (a reader that stays silent after its brokers restarted); IBM/sarama #1407.
Not covered: a partition whose leader is lost later (metadata/leaderless); a topic that grows (topic/grown).
"""

from probe.model import Engine, Target
from probe.scenarios.absences import variant_of_joining
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.partitions import LoseLeader

SCENARIO = Scenario(
    name="group/member-joins-leaderless",
    story=__doc__,
    engines=(Engine.EMBEDDED,),
    profile=profile_of("group/member-joins-leaderless"),
    variants=(variant_of_joining(LoseLeader(), target=Target.LEADER),),
)
