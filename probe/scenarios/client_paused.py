"""The client's process is stopped for longer than its session or its transaction may last, and goes on.

What the brokers do: they serve. They end the session of the silent member and give its partitions to a second member of
the group, which leaves 3 s after the process goes on. They abort the transaction that was open.
The error a client meets: none while it is stopped (SIGSTOP). When it goes on (SIGCONT), its member id or its producer
epoch is not known any more (UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, INVALID_PRODUCER_EPOCH, PRODUCER_FENCED), and all
its timers are due.
What a good client does: tells its application what it has lost (the partitions revoked, or an error), and goes on. It
commits no offset of a partition that another member has. A producer without transactions, or a reader without a group,
has lost nothing.
Source: KAFKA-19690 (what a producer is answered whose transaction was aborted meanwhile); laptops, virtual machines
that are moved, and containers whose CPU is throttled. In profile short-limits the process is stopped for 25 s, since
brokers look for late transactions every 10 s; in other profiles for 80 s, beyond all default limits.
Not covered: applications that are a process of their own (kcat, Telegraf); static members.
"""

from probe.model import Role
from probe.scenarios.absences import variants_of_absence
from probe.scenarios.own_profiles import profile_of
from probe.scenarios.scenario import Absence, Scenario

SCENARIO = Scenario(
    name="client/paused",
    story=__doc__,
    profile=profile_of("client/paused"),
    variants=variants_of_absence(
        Absence(short_ms=25_000, long_ms=80_000, successor=True),
        Role.PRODUCER,
        Role.CONSUMER,
        Role.TRANSACTIONAL,
        Role.GROUP,
    ),
)
