"""Facts about Kafka's release lines: since which one brokers have something. Pure, standard library only."""

from __future__ import annotations

from enum import Enum

from probe.model.versions import version_key

DEFAULT_LINE = "3.9"
"""The release line that is played, and asked for, where nobody names one."""


class Since(Enum):
    """Something that brokers have from a release line on: that line, and what it is, with its source."""

    OFFSETS_TOPIC = ("0.9", "Committed offsets are in an internal topic")
    TLS = ("0.9", "Listeners have TLS (KAFKA-1684)")
    API_VERSIONS = ("0.10", "Brokers answer ApiVersions (KIP-35)")
    SASL_PLAIN = ("0.10", "Clients name their mechanism in SaslHandshake, and may log in by a password (KIP-43)")
    NAMED_CONTROLLER = ("0.10", "Metadata names the controller (version 1, KIP-4)")
    TIMESTAMPS = ("0.10", "Records have timestamps (message format 1, KIP-32)")
    LATEST_OFFSET = ("0.10.1", "ListOffsets names one offset (version 1, KIP-79)")
    LISTENER_NAMES = (
        "0.10.2",
        "Listeners have names, so that brokers can have one for each other (KIP-103)",
    )
    SASL_SCRAM = ("0.10.2", "Clients may log in by a salted challenge (KIP-84)")
    CREATION = ("0.10.2", "Topics are created on request, with errors in words (CreateTopics 1, KIP-4)")
    BATCHES = ("0.11", "Records come in batches (message format 2, KIP-98)")
    DELETIONS = ("0.11", "Brokers delete records on request (KIP-107)")
    PRODUCER_IDS = ("0.11", "Brokers give out producer ids, and have transactions (KIP-98)")
    THROTTLED_CREATION = ("0.11", "Answers to requests for topics have a throttle time (CreateTopics 2, KIP-124)")
    SASL_AUTHENTICATE = ("1.0", "Log-ins are requests of Kafka's and are refused with a reason (KIP-152)")
    GROWTH = ("1.0", "Partitions are added on request (CreatePartitions, KIP-195)")
    PREFERENCE = ("1.0", "Metadata names replicas in their order of preference")
    CHOSEN_LOG_DIRS = (
        "1.1",
        "A replica's log dir can be chosen (AlterReplicaLogDirs, KIP-113)",
    )
    LARGE_BATCHES_LOAD = ("1.1", "Coordinators load batches that are larger than their buffer (KAFKA-6288)")
    LOG_DIRS_QUICKLY = ("2.0", "DescribeLogDirs 1 (KIP-219)")
    LEADER_EPOCHS = ("2.1", "Brokers tell clients the leader epoch (KIP-320)")
    ELECTIONS = ("2.2", "Preferred leaders are elected on request (KIP-183)")
    UNCLEAN_ELECTIONS = ("2.4", "Any replica is elected on request (KIP-460)")
    REASSIGNMENT = ("2.4", "Replicas are reassigned on request (KIP-455)")
    FOLLOWERS_SERVE = ("2.4", "A leader sends a reader to the follower in its rack (Fetch 11, KIP-392, KAFKA-8443)")
    QUOTAS = ("2.6", "Quotas are set on request (KIP-546)")
    DUMPED_FIELDS = ("2.6", "DumpLogSegments prints the fields that are compared")
    SIGNED_TOKENS = (
        "3.1",
        "Clients may log in by signed tokens of a token server, which brokers check without code of ours (KIP-768; "
        "the mechanism is of 2.0, KIP-255)",
    )
    TOKENS_PACKAGE = ("3.4", "The classes that check tokens are in the package oauthbearer, before in its secured")
    KRAFT_HERE = (
        "3.5",
        "the line is taken to be KRaft, which is ready for production from 3.3 on (KIP-833). Migration to it came with "
        "3.4 as a preview (KIP-866), so most clusters of these two were still on ZooKeeper, as is 3.4 of engine kafka",
    )
    NEW_GROUPS = (
        "4.0",
        "Brokers let members join by ConsumerGroupHeartbeat; before, it is a preview that is off by default (KIP-848)",
    )
    RELAXED_COMMITS = (
        "4.3",
        "A commit of an older member epoch is taken for partitions that the member kept (KIP-1251, KAFKA-20066)",
    )
    SHARE_GROUPS = (
        "4.2",
        "Brokers have share groups; in 4.1 they are a preview that is off by default (share.version=0, KIP-932)",
    )
    STREAMS_GROUPS = (
        "4.2",
        "Brokers have Streams groups; in 4.1 they are early access, whose groups 4.2 does not take over (KIP-1071)",
    )
    OLD_REQUESTS_REFUSED = (
        "4.0",
        "Brokers refuse Produce below 3 and Fetch below 4 (KIP-896), as the embedded engine does on every line",
    )

    @property
    def line(self) -> str:
        """The first release line."""
        return self.value[0]

    @property
    def reason(self) -> str:
        """A description with its source."""
        return self.value[1]


def has(version: str, what: Since) -> bool:
    """Return whether brokers of a release line, or of an exact version, have something."""
    return version_key(version) >= version_key(what.line)
