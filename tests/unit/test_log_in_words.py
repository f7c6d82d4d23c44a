"""Words of look-ups and audits for cells about log-ins and handshakes."""

from __future__ import annotations

import pytest

from probe.cells.aggregate import SettledCell
from probe.cells.log_in_words import log_in_remarks
from probe.model import Cell, Engine, Facts, LearnedBy, Outcome, Role, Verdict

BACK = Facts(fault_hits=9, recovered=True, recovery_ms=768.0, reason_by=LearnedBy.NOTICE)
GONE = Facts(fault_hits=9, recovered=False, reason_by=LearnedBy.ERROR)
SILENT = Facts(fault_hits=9, recovered=True, recovery_ms=2140.0, reason_by=LearnedBy.NOTHING)
IN_TIME, CUT = Facts(), Facts(fault_hits=4)


@pytest.mark.parametrize(
    ("scenario", "trials", "said"),
    [
        (
            "tls/certificate-expired",
            [BACK],
            ["it works again by itself within 0.8 s", "the application learns why by a log line or callback only"],
        ),
        (
            "auth/wrong-password",
            [GONE, GONE],
            ["it never works again by itself", "the application learns why by an error"],
        ),
        (
            "auth/token-server-away",
            [SILENT, GONE],
            [
                "it works again by itself within 2.1 s (in 1 of 2 trials)",
                "the application never learns why (in 1 of 2 trials)",
                "the application learns why by an error (in 1 of 2 trials)",
            ],
        ),
        ("auth/session-expires", [IN_TIME], ["it logs in again before its sessions are over"]),
        ("auth/session-expires", [CUT], ["brokers end its connections when sessions are over"]),
        (
            "auth/session-expires-idle",
            [CUT, IN_TIME],
            ["brokers end its connections when sessions are over (in 1 of 2 trials)"],
        ),
        ("net/reset", [BACK], []),
    ],
)
def test_a_cell_says_whether_the_client_got_in_and_whether_it_learned_why(
    scenario: str, trials: list[Facts], said: list[str]
) -> None:
    cell = Cell("java", "4.4.0", Role.PRODUCER, "isolated", scenario, Engine.EMBEDDED, "3.9")
    verdicts = tuple(Verdict(outcome=Outcome.RIDES, reason="", conforms=None, facts=facts, rules=1) for facts in trials)
    assert list(log_in_remarks(SettledCell(cell=cell, run_id="a-run", trial=0, verdicts=verdicts))) == said


def test_nothing_is_said_without_evidence() -> None:
    assert not list(log_in_remarks(None))
