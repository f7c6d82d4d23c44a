"""The union of all steps. A scenario loads only the modules of its own steps, so it needs this for types only."""

from __future__ import annotations

from probe.scenarios.steps.brokers import BrokerStep
from probe.scenarios.steps.controller import ControllerStep
from probe.scenarios.steps.coordinators import CoordinatorStep
from probe.scenarios.steps.handshakes import HandshakeStep
from probe.scenarios.steps.logins import LoginStep
from probe.scenarios.steps.partitions import PartitionStep
from probe.scenarios.steps.real_brokers import RealStep
from probe.scenarios.steps.topics import TopicStep
from probe.scenarios.steps.transactions import TransactionStep

Step = (
    PartitionStep
    | TopicStep
    | BrokerStep
    | RealStep
    | CoordinatorStep
    | ControllerStep
    | TransactionStep
    | LoginStep
    | HandshakeStep
)
