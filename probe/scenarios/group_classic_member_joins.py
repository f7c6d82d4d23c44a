"""A member of the classic protocol joins a group of the new one: a step of a rolling change, or of its way back.

What the brokers do: they serve. The coordinator converts the group and assigns to both kinds of members, as long as it
can read the classic member's subscription.
The error a client meets: MEMBER_ID_REQUIRED (79) and REBALANCE_IN_PROGRESS (27) for the classic member. A coordinator
that cannot read its subscription answers INCONSISTENT_GROUP_PROTOCOL (23) to JoinGroup.
What a good client does: shares the partitions with the other kind. No record is skipped or given to both.
Source: KIP-848, online migration; measured on real 4.4.0, where kafka-go and @platformatic/kafka do not get in.
Not covered: a new member that joins a classic group; two libraries in one group.
"""

from dataclasses import replace

from probe.model import Engine, Target
from probe.model.group_settings import GroupProtocol
from probe.scenarios.absences import variant_of_joining
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Member, Scenario

SCENARIO = Scenario(
    name="group/classic-member-joins",
    story=__doc__,
    asked=True,
    engines=(Engine.KAFKA,),
    profile=profile_of("group/classic-member-joins"),
    since="4.0",
    since_reason="brokers convert groups since then (KIP-848)",
    variants=(
        replace(
            variant_of_joining(target=Target.CLUSTER, member=Member.JOINS_CLASSIC),
            group_protocol=GroupProtocol.CONSUMER,
        ),
    ),
)
