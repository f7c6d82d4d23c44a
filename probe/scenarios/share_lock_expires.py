"""The application handles one record for longer than its lock lasts, and the partition has another leader meanwhile.

What the brokers do: they serve. The member was given records, which are locked for it for 30 s. A preferred election
moves the partition's leader while the application is busy, and locks end with the leader's term. What the member
accepts when it goes on was given by the former leader.
The error a client meets: refused acceptances (UNKNOWN_TOPIC_OR_PARTITION and NOT_LEADER_OR_FOLLOWER at the former
leader, INVALID_RECORD_STATE 121 for a lock that is over), and NOT_LEADER_OR_FOLLOWER (6) on ShareFetch.
What a good client does: tells the application which acceptances were refused, follows the leader, and delivers those
records again. None of them is confirmed to the application and then delivered again.
Source: KIP-932, share.record.lock.duration.ms (30 s by default); acceptances on real 4.4.0 after a leader's move, which
are refused with UNKNOWN_TOPIC_OR_PARTITION, and whose records come again with the same delivery count.
Not covered: a lock that ends while the leader stays; records that were delivered as often as they may be.
"""

from probe.model import Role
from probe.scenarios.absences import busy_while
from probe.scenarios.scenario import Scenario
from probe.scenarios.steps.partitions import MoveLeader

LOCKED_MS = 40_000
"""Longer than the lock of 30 s."""

SCENARIO = Scenario(
    name="share/lock-expires",
    story=__doc__,
    asked=True,
    variants=busy_while(LOCKED_MS, Role.SHARE, MoveLeader()),
)
