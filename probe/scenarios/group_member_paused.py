"""One of two members of a group is stopped for longer than its session, and goes on.

What the brokers do: they serve. They end the session of the silent member (SIGSTOP) and give its partitions to the
other one. When it goes on (SIGCONT) its member id is not known any more.
The error a client meets: UNKNOWN_MEMBER_ID (25) or ILLEGAL_GENERATION (22) on heartbeats and commits; a static member
that is still known, none.
What a good client does: the other member takes over within a session, two heartbeats and a moment. The one that comes
back says that it lost its partitions, or reports an error, commits nothing of them, and joins again. Nobody skips a
record, and no partition is read by two members at once.
Source: segmentio/kafka-go #1308; pauses of virtual machines and garbage collection; containers without CPU.
Not covered: a member that is alone (client/paused); one whose application is slow (client/slow-handler).
"""

from probe.scenarios.absences import variant_of_two
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Absence, Member, Scenario

SCENARIO = Scenario(
    name="group/member-paused",
    story=__doc__,
    profile=profile_of("group/member-paused"),
    variants=(variant_of_two(Member.PAUSED, Absence(short_ms=14_000, long_ms=80_000)),),
)
