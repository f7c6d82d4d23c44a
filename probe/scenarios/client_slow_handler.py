"""The application handles one record for longer than its client may stay without asking for more.

What the brokers do: they serve, and a second member joins the group while the handler is busy. A member that does not
join again in time loses its partitions to it (max.poll.interval.ms, or the rebalance timeout). The second member leaves
3 s after the handler's end.
The error a client meets: none while the handler is busy. A client with a poll interval leaves its group by itself at
the end of that. What the member then commits is refused (UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION).
What a good client does: tells its application what it has lost (the partitions revoked, or an error), and goes on. It
commits no offset of a partition that another member has.
Source: KIP-62; IBM/sarama #3628, whose consumer gives up a partition whose application is slow. In profile short-limits
the handler takes 14 s; in other profiles 330 s, beyond the default of five minutes.
Not covered: every record slow; a handler on another thread than the one that asks for more.
"""

from probe.model import Role
from probe.scenarios.absences import variants_of_absence
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Absence, Scenario

SCENARIO = Scenario(
    name="client/slow-handler",
    story=__doc__,
    profile=profile_of("client/slow-handler"),
    variants=variants_of_absence(Absence(short_ms=14_000, long_ms=330_000, busy=True, successor=True), Role.GROUP),
)
