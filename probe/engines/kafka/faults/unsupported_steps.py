"""The steps that real brokers do not support, with reasons."""

from __future__ import annotations

from collections.abc import Mapping

from probe.scenarios.steps.brokers import CutAnswers, HideBrokers, KeepAnswers, LimitVersions, Throttle
from probe.scenarios.steps.coordinators import NameWrongCoordinator, Rejoin
from probe.scenarios.steps.handshakes import AskForCertificates
from probe.scenarios.steps.logins import (
    LeaveTokenServer,
    RefuseFirstToken,
    RefuseLogins,
    RevokePermissions,
)
from probe.scenarios.steps.partitions import (
    AnswerError,
    LagMetadata,
    LoseAllLeaders,
    LoseLeader,
    RollBack,
)
from probe.scenarios.steps.step import Step
from probe.scenarios.steps.topics import ForgetProducers, ForgetTopic, GrowWhileAssigning, HidePartition

UNSUPPORTED_STEPS: Mapping[type[Step], str] = {
    AskForCertificates: "real brokers ask a listener's clients for certificates from its start on, or never",
    AnswerError: "a real broker sends an error only with its cause; the causes are scenarios of their own",
    GrowWhileAssigning: "a real coordinator answers the leader's SyncGroup within milliseconds",
    HidePartition: "a real broker learns all partitions of a topic at once; with ZooKeeper, within milliseconds",
    ForgetProducers: "real brokers from 2.5 on take any first batch of a producer that they do not know (KIP-360)",
    ForgetTopic: "a real broker knows its topics again shortly after its return (broker/slow-recovery)",
    HideBrokers: "a real broker lists no brokers for a moment after its start only, which cannot be controlled",
    LagMetadata: "the delay of real metadata cannot be controlled",
    LoseAllLeaders: "real brokers elect leaders as soon as they are back",
    CutAnswers: "the relay alone cuts the answer, so both kinds of brokers show the same",
    KeepAnswers: "the relay alone keeps the answer back, so both kinds of brokers show the same",
    LeaveTokenServer: "not built for real brokers; the server is ours, so both kinds of brokers meet the same",
    LimitVersions: "a real broker of Kafka answers UNSUPPORTED_VERSION in version 0 (KIP-511)",
    LoseLeader: "a real cluster elects any replica in sync; leader/election-slow stops the remaining ones",
    NameWrongCoordinator: "a real broker denies it for as long only as its cluster's metadata is late",
    RefuseFirstToken: "not built for real brokers, which read the key of tokens from a file here, and know it",
    RefuseLogins: "not built for real brokers, which read mechanisms and the first passwords when they start",
    Rejoin: "a real coordinator asks for it when a member joins or leaves, and the group has one member",
    RevokePermissions: "not built for real brokers, which have no authorizer here",
    RollBack: "brokers of two versions cannot use the same log dirs in turn",
    Throttle: "a real quota limits a rate, and the time to wait follows from it; so real brokers get a quota",
}
"""Steps that only the embedded engine plays, with the reason."""
