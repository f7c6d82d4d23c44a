"""The table of outcomes: how each one is shown, how bad it is, and how far it settles a cell.

`probe.verdict` decides which outcome a trial has. Every scenario declares which outcomes conform.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from probe.model.cell import Outcome

SETTLES, WAITED, BROKE, ABSENT = 3, 2, 1, 0
"""Weights: the trial settles its cell; its observation was too short; the harness failed; there was no trial."""
STOPS = 4
"""Lowest severity at which work stops or records are lost."""
STALLS = 2
"""Lowest severity at which work goes on late, or at the brokers' expense."""


class Number(StrEnum):
    """The number that a cell of the site's matrix shows."""

    RECOVERY = "recovery"
    """Median time to recovery, or the number of errors reported to the application where there is none."""
    WATCHED = "watched"
    """Length of the observation, at whose end the client had not recovered."""
    RECORDS = "records"
    """Records that were lost, duplicated, reordered or skipped."""
    TRIALS = "trials"
    """Number of trials with the worst outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeInfo:
    """One row of the table."""

    outcome: Outcome
    symbol: str
    """One character, different for every outcome, since colour alone must not distinguish outcomes."""
    shape: str = ""
    """The mark of such a trial in a picture, a path around (0, 0); it is filled if the outcome has a severity. Empty =
    such trials are not drawn."""
    explanation: str
    """One or two short sentences for a legend."""
    phrase: str
    """A clause about the client. It follows the client's name on the page of a cell."""
    says: str = ""
    """A clause about a version. It follows the version in the result of `bisect`; empty = `is` and the outcome."""
    severity: int = 0
    """How bad the outcome is where it does not conform or is not judged: 5 = promise broken or client unusable, 0 = the
    application noticed nothing. An outcome that does not conform counts as at least 1."""
    says_nothing: bool = False
    """The outcome says nothing about the client. It is never judged, and a comparison with it is unclear."""
    observed: bool = True
    """The trial worked and observed a client, even where it gives no answer (short observation, fault not met). An
    unobserved outcome is no change of a cell. A run with only such outcomes ends with an error."""
    weight: int = SETTLES
    """How far a trial settles its cell. A greater weight wins over a later run. An outcome may settle a cell without an
    answer: `not_provoked` and `unsupported` are results for a known result and for `bisect`."""
    again: bool = False
    """`verify` runs a cell with this stored outcome again, for instance where the next trial may meet the fault."""
    open: bool = False
    """Another run may give an answer. The site counts the cell as open, and lists it before informative cells."""
    doubtful: bool = False
    """`run` counts it, below its table, as a cell to look into."""
    ends_control: bool = False
    """A control cell on real brokers is not run once more after this outcome."""
    style: str = ""
    """Style on a console, as rich writes it."""
    number: Number = Number.RECOVERY
    """The number that a cell of the site's matrix shows."""

    @property
    def label(self) -> str:
        """The outcome as words of a sentence."""
        return self.outcome.replace("_", " ")

    @property
    def hard(self) -> bool:
        """Whether work stops or records are lost."""
        return self.severity >= STOPS


_TABLE = (
    OutcomeInfo(
        outcome=Outcome.REFRESHES,
        symbol="✓",
        shape="M-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0z",
        explanation="Asked for the new leader because of the fault, moved promptly; the application saw no error.",
        phrase="asked for the new leader because of the fault, moved there promptly, "
        "and showed the application no error",
        says="refreshes",
    ),
    OutcomeInfo(
        outcome=Outcome.HINTED,
        symbol="➜",
        shape="M-3,-4.5l7.5,4.5l-7.5,4.5z",
        explanation="Followed the leader named in the error answer itself (KIP-951); no discovery was needed.",
        phrase="followed the new leader named in the error answer itself (KIP-951), without having to ask",
        says="follows the hint",
    ),
    OutcomeInfo(
        outcome=Outcome.CLEAN,
        symbol="○",
        shape="M-3.5,-3.5h7v7h-7z",
        explanation="Nothing went wrong for the application, and no reaction was called for.",
        phrase="carried on without an error",
        ends_control=True,
    ),
    OutcomeInfo(
        outcome=Outcome.RIDES,
        symbol="↻",
        shape="M0,-5l5,5l-5,5l-5,-5z",
        explanation="Tried again in place until the broker was well; the application saw no error.",
        phrase="tried again in place until the broker was well, and showed the application no error",
        says="rides it out",
    ),
    OutcomeInfo(
        outcome=Outcome.SURFACES,
        symbol="!",
        shape="M-4,-4l8,8M-4,4l8,-8",
        explanation="An error reached the application.",
        phrase="passed an error on to the application",
        says="surfaces an error",
        severity=1,
        style="yellow",
    ),
    OutcomeInfo(
        outcome=Outcome.LATE,
        symbol="◔",
        shape="M0,-4.5l5,8.5h-10z",
        explanation="Recovered, but too slowly, or only for another reason than the fault.",
        phrase="recovered, but late or only because something other than the fault led it there",
        severity=2,
        style="yellow",
    ),
    OutcomeInfo(
        outcome=Outcome.STORMS,
        symbol="≋",
        shape="M0,-5l5,5l-5,5l-5,-5z",
        explanation="Recovered, but with far more requests or connections than its own back-off allows.",
        phrase="flooded the brokers with more requests or connections than its own back-off allows",
        says="storms",
        severity=3,
        style="red",
    ),
    OutcomeInfo(
        outcome=Outcome.STUCK,
        symbol="✗",
        shape="M-3.5,-3.5h7v7h-7z",
        explanation="Never recovered by itself while the fault was in force.",
        phrase="did not recover by itself while the fault was in force",
        severity=STOPS,
        style="bold red",
        number=Number.WATCHED,
    ),
    OutcomeInfo(
        outcome=Outcome.VIOLATES,
        symbol="⚠",
        shape="M0,4.5l5,-8.5h-10z",
        explanation="Broke a promise: records lost, duplicated, reordered, or a position that jumped.",
        phrase="broke a promise to its application",
        says="violates a promise",
        severity=5,
        style="bold red",
        number=Number.RECORDS,
    ),
    OutcomeInfo(
        outcome=Outcome.FATAL,
        symbol="☠",
        shape="M-5,0h10M0,-5v10M-3.5,-3.5l7,7M-3.5,3.5l7,-7",
        explanation="The client became unusable, or its process ended.",
        phrase="became unusable",
        says="is unusable afterwards",
        severity=5,
        style="bold red",
    ),
    OutcomeInfo(
        outcome=Outcome.WAITING,
        symbol="⧗",
        explanation="Had not recovered, but was observed for less than its own limits; says nothing yet.",
        phrase="had not recovered when the observation ended, which was before its own limits were reached",
        says_nothing=True,
        weight=WAITED,
        again=True,
        open=True,
        number=Number.WATCHED,
    ),
    OutcomeInfo(
        outcome=Outcome.NOT_PROVOKED,
        symbol="–",  # noqa: RUF001 - the dash is the symbol
        explanation="The fault never reached the client, so the cell says nothing about it.",
        phrase="never met the fault",
        says_nothing=True,
        again=True,
        doubtful=True,
    ),
    OutcomeInfo(
        outcome=Outcome.UNSUPPORTED,
        symbol="∅",
        explanation="Client or engine declared this combination impossible.",
        phrase="cannot be asked this: client or engine declared the combination impossible",
        says_nothing=True,
        observed=False,
        ends_control=True,
    ),
    OutcomeInfo(
        outcome=Outcome.BROKEN,
        symbol="?",
        explanation="The harness failed, or this client's control run was not clean; says nothing about the client.",
        phrase="could not be judged, because the harness failed or the client's control run was not clean",
        says_nothing=True,
        observed=False,
        weight=BROKE,
        again=True,
        open=True,
        doubtful=True,
        style="magenta",
    ),
    OutcomeInfo(
        outcome=Outcome.FLAKY,
        symbol="~",
        explanation="Trials disagree; the worst one decides, and the cell says in how many trials it came.",
        phrase="behaved differently from trial to trial",
        number=Number.TRIALS,
    ),
    OutcomeInfo(
        outcome=Outcome.NOT_RUN,
        symbol="□",
        explanation="The client was not available or could not be started on this machine.",
        phrase="was not run",
        says_nothing=True,
        observed=False,
        weight=ABSENT,
        again=True,
    ),
)

OUTCOMES: Mapping[Outcome, OutcomeInfo] = {info.outcome: info for info in _TABLE}
"""Every outcome, in the order of the legend, the filters and the summary of the site."""


def _those(test: Callable[[OutcomeInfo], bool]) -> frozenset[Outcome]:
    return frozenset(info.outcome for info in _TABLE if test(info))


SAY_NOTHING = _those(lambda info: info.says_nothing)
"""Outcomes that say nothing about the client."""
NO_ANSWER = SAY_NOTHING | {Outcome.FLAKY}
"""SAY_NOTHING, and trials that disagree. Two engines cannot agree on such an outcome; no trial with it is judged."""
HARD = _those(lambda info: info.hard)
"""Outcomes after which work stands still, is wrong, or has ended."""
UNOBSERVED = _those(lambda info: not info.observed)
"""Outcomes of trials that observed no client."""
UNSETTLED: Mapping[Outcome, int] = {info.outcome: info.weight for info in _TABLE if info.weight < SETTLES}
"""Outcomes that settle no cell, with their weights."""
PLAYED_AGAIN = _those(lambda info: info.again)
"""Stored outcomes after which `verify` runs the cell again."""
OPEN = _those(lambda info: info.open)
"""Outcomes that another run may replace by an answer."""
DOUBTFUL = tuple(outcome for outcome in Outcome if OUTCOMES[outcome].doubtful)
"""Outcomes that `run` counts below its table."""
WELL = _those(lambda info: not info.severity) - NO_ANSWER
"""Outcomes in which the application noticed nothing. Where one does not conform, the bystander is the cause."""


def _standing(answer: Answer) -> tuple[bool, bool, int, int]:
    outcome, conforms = answer
    info = OUTCOMES[outcome]
    return conforms is False, not info.says_nothing, info.severity, -_PLACES.index(outcome)


Answer = tuple[Outcome, bool | None]
"""The outcome of a trial, and whether it conforms."""
_PLACES = tuple(Outcome)
ORDER: tuple[Answer, ...] = tuple(
    sorted(((outcome, conforms) for outcome in Outcome for conforms in (True, None, False)), key=_standing)
)
"""All answers from the best to the worst: those that say nothing about the client, those that conform or are not
judged, those that do not conform; within each by severity, then by the order of `Outcome`."""
RANKS: Mapping[Answer, int] = {answer: place for place, answer in enumerate(ORDER)}
"""The place of an answer in `ORDER`; the worst of several has the greatest."""


def conform(judgements: Iterable[bool | None]) -> bool | None:
    """Return whether a cell conforms: no if any trial does not, yes if one does and none does not, else None."""
    seen = set(judgements) - {None}
    return False if False in seen else True if seen else None
