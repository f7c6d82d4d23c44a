"""The object that a fault hits, as rows name it."""

from __future__ import annotations

from dataclasses import dataclass

from probe.model import History, Row, Target
from probe.model.roles import ROLES
from probe.protocol.api_table import CoordinatorKind
from probe.protocol.names import error_code
from probe.verdict import apis

TOPIC_DENIED = error_code("TOPIC_AUTHORIZATION_FAILED")


@dataclass(frozen=True, slots=True)
class Affected:
    """The object that the fault hits, as rows name it."""

    topic: str
    partition: int
    key: str
    """Group or transactional id where the target is a coordinator. Otherwise empty."""
    key_type: int
    """0 group, 1 transaction, as in FindCoordinator."""
    controller: bool = False
    """It is the controller, about which every request to it is."""

    def named_by(self, row: Row) -> bool:
        """Return whether a row is about the object. A row about the whole topic is, as each refused permission is."""
        if self.controller:
            return True
        if self.key:
            return row.key == self.key
        return row.topic == self.topic and (row.partition in (self.partition, -1) or row.code == TOPIC_DENIED)


def find_affected(history: History) -> Affected:
    """Return the affected object of a history."""
    subject, role = history.header.subject, history.header.cell.role
    key, key_type = "", CoordinatorKind.GROUP
    if history.header.play.target is Target.COORDINATOR:
        of_group = apis.TXN_OFFSET_COMMIT in history.header.play.apis
        transactional = ROLES[role].transactional and bool(subject.transactional_id) and not of_group
        key, key_type = (
            (subject.transactional_id, CoordinatorKind.TRANSACTION)
            if transactional
            else (subject.group, CoordinatorKind.GROUP)
        )
    return Affected(subject.topic, subject.affected, key, key_type, history.header.play.target is Target.CONTROLLER)
