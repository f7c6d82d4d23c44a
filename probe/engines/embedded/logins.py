"""Log-ins of the fake cluster's listeners, and what its clients may do. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from probe.access import Access
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.errors import EngineError
from probe.model import Subject
from probe.model.security import Mechanism
from probe.protocol import apis
from probe.scenarios.steps.logins import Refusal, RefuseFirstToken, RefuseLogins, RevokePermissions
from probe.scenarios.steps.step import Step

TOPIC_DENIED, GROUP_DENIED, TRANSACTIONAL_ID_DENIED = 29, 30, 53
TOPIC_APIS = (*apis.LOG_APIS, apis.METADATA, apis.OFFSET_FOR_LEADER_EPOCH)
ANOTHER = "-another"
"""Ending of a user's other password; the beginning keeps the mark of secrets."""


def asked_logins(access: Access | None) -> list[pb.Change]:
    """Return the changes that let the clients of a run in, and nobody else; empty where nobody logs in."""
    if access is None or access.security.mechanism is None:
        return []
    return [pb.Change(security=_security(access, access.security.mechanism, access.password))]


def refused_logins(steps: Sequence[Step], access: Access | None) -> list[pb.Timed]:
    """Return the changes by which brokers refuse the clients' log-ins. EngineError where clients do not log in so."""
    found = (_refusing(step, access) for step in steps if isinstance(step, RefuseLogins | RefuseFirstToken))
    return [pb.Timed(change=pb.Change(security=security), from_start=True) for security in found]


def _refusing(step: RefuseLogins | RefuseFirstToken, access: Access | None) -> pb.Security:
    mechanism = None if access is None else access.security.mechanism
    if access is None or mechanism is None:
        raise EngineError("the listener asks for no log-in, so none can be refused")
    if isinstance(step, RefuseFirstToken):
        if mechanism is not Mechanism.OAUTHBEARER:
            raise EngineError(f"clients log in by {mechanism}, so no token can be refused")
        return _security(access, mechanism, access.password, refuse_first_token=True)
    if step.by is Refusal.CREDENTIALS:
        return _security(access, mechanism, access.password + ANOTHER)
    return _security(access, Mechanism.PLAIN if mechanism.scram else Mechanism.SCRAM_SHA_512, access.password)


def _security(access: Access, mechanism: Mechanism, password: str, *, refuse_first_token: bool = False) -> pb.Security:
    return pb.Security(
        mechanisms=[str(mechanism)],
        passwords={access.user: password},
        session_ms=access.session_ms,
        token_key="" if access.issuer is None else access.issuer.public_key,
        refuse_first_token=refuse_first_token,
    )


def revoked(_: RevokePermissions, subject: Subject, __: int) -> tuple[Sequence[pb.Rule], Sequence[pb.Timed]]:
    """Return the rules by which all brokers deny a client its topic, group and transactional id."""
    rules = [pb.Rule(id="denied-topic", apis=TOPIC_APIS, topic=subject.topic, code=TOPIC_DENIED)]
    keys = ((subject.group, GROUP_DENIED, "group"), (subject.transactional_id, TRANSACTIONAL_ID_DENIED, "transaction"))
    keyed = (*apis.COORDINATOR_APIS, apis.FIND_COORDINATOR)
    rules += [pb.Rule(id=f"denied-{name}", apis=keyed, key=key, code=code) for key, code, name in keys if key]
    return rules, []
