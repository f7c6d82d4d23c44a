"""TLS handshakes that fail on purpose."""

from __future__ import annotations

from collections.abc import Sequence

from probe.access import Access
from probe.errors import EngineError
from probe.ports import RelayPort
from probe.scenarios.steps.handshakes import AskForCertificates, Flaw, SpoilHandshakes
from probe.scenarios.steps.step import Step


def spoil(relay: RelayPort, steps: Sequence[Step], access: Access | None) -> None:
    """Let new connections meet what the steps say. EngineError where clients speak no TLS."""
    for step in steps:
        if not isinstance(step, SpoilHandshakes | AskForCertificates):
            continue
        if access is None or access.server is None:
            raise EngineError("the listener speaks no TLS, so no handshake can fail")
        flaw = step.by if isinstance(step, SpoilHandshakes) else Flaw.CLIENT_REFUSED  # which one without is, too
        if flaw is Flaw.CLOSED:
            relay.secure(access.server, closes=True)
        else:
            relay.secure(access.flawed[flaw], flawed=True)
