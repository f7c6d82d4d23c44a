"""Clients that brokers did not let in: refused log-ins, and listeners that speak another protocol.

Such an answer is no fault that passes while a client waits: it lasts until a password, a mechanism or an address is
changed. So it counts from the first one on, without patience.
"""

from __future__ import annotations

from probe.diagnose.findings import Status
from probe.diagnose.objects import Kind
from probe.diagnose.troubles import Trouble
from probe.protocol.names import error_name

REPEATED_REFUSALS = 3
"""Refusals from which on a client is refused although it is let in between them, as one that logs in too often."""
CUT = "the broker ends its connections during the log-in, as brokers without SaslAuthenticate refuse one"


def admission(kind: Kind, trouble: Trouble, mismatch: str, now: int) -> tuple[Status, str]:
    """Return the status of a client that was not let in, and the reason as a clause."""
    count = round(sum(one.count for one in trouble.errors.values())) + trouble.cuts
    if trouble.recovered_at(now) is not None:
        seconds = ((trouble.good_at or now) - trouble.since) / 1e6
        return Status.RECOVERED, f"it was let in {seconds:.1f} s after"
    if trouble.good_at is not None and count < REPEATED_REFUSALS:
        return Status.UNKNOWN, "it was let in, but the input ends within a second"
    between = ", although it is let in between" if trouble.better else ""
    if kind is Kind.LISTENER:
        return Status.MISMATCH, f"{mismatch}{between}"
    what = f"its log-in is refused with {error_name(trouble.code)}" if trouble.code else CUT
    return Status.REFUSED, f"{what}{between}"
