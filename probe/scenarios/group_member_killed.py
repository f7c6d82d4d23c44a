"""One of two members of a group is killed, and sends no LeaveGroup.

What the brokers do: they serve. The connections of the killed member end, and its heartbeats stop. When its session is
over the coordinator removes it and lets the other member join again; in the new group protocol (KIP-848) the session is
the brokers' own, 45 s.
The error a client meets: none but REBALANCE_IN_PROGRESS (27) in the answer to a heartbeat.
What a good client does: takes over what the killed member had, from its last commit on, within a session, two
heartbeats and a moment. It skips nothing.
Source: bitnami/charts #3141 (static members after a crash), confluentinc/librdkafka #1019; every restart by a scheduler
that does not wait.
Not covered: a killed member that comes back.
"""

from probe.scenarios.absences import variant_of_two
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Absence, Member, Scenario

SCENARIO = Scenario(
    name="group/member-killed",
    story=__doc__,
    profile=profile_of("group/member-killed"),
    variants=(variant_of_two(Member.KILLED, Absence(short_ms=10_000, long_ms=80_000)),),
)
