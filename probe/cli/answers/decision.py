"""A client on one screen: its levels, what stops or loses work, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from probe.cells.answer_context import PLAIN, Asking, Remedies
from probe.cells.audit import BAD, Fault
from probe.cells.causes import Cause, causes, is_mended_by_acks, is_scored, loses_and_stops, placed, places
from probe.cells.levels import RoleLevel
from probe.cells.targets import Target
from probe.cli.console.line_wrap import wrapped
from probe.model import Cell, Profile
from probe.model.counts import counted
from probe.model.harm import Harm
from probe.model.profile import OWN_DEFAULTS
from probe.model.safe_text import visible
from probe.model.versions import version_key

MOST_LINES = 40
"""Greatest number of lines of an answer."""
AT = 17
"""Column at which texts begin, behind a role or a harm."""
NAMED = 4
"""Scenarios of a lesser harm that are named; others are counted."""
TO_DO = "to do: "
"""Beginning of what mends a fault."""
LESSER = (Harm.STALLS, Harm.BURDENS, Harm.ERRORS)
ISOLATED = (
    "measured with periodic refreshes switched off (profile isolated): it says whether the client reacts, not how long "
    "a service with the library's defaults suffers"
)
PARTLY = (
    "measured with the library's own defaults; what was not, with periodic refreshes switched off (profile isolated), "
    "where a client may stop that a refresh would rescue"
)
WORST_FIRST = "stops or loses work, worst first"
"""The heading of scored causes."""
BY_OTHERS = "suspected to stop or lose work, by what answers in its place, worst first"
"""The same where nothing of it was measured."""
NOTHING_STOPS = "nothing stops or loses work in the scored scenarios that were measured"
"""The same where there are none."""
BESIDE = "beside the baseline"
"""The heading of the causes that are not scored."""
MORE = "--all lists every cause with its evidence, --scenario NAME each finding; docs/harm.md defines the words"


def on_one_screen(
    heads: Sequence[str],
    faults: Sequence[Fault],
    levels: Sequence[RoleLevel],
    ways_out: Remedies,
    columns: int,
    asking: Asking = PLAIN,
) -> list[str]:
    """Return the answer about a client in at most `MOST_LINES` lines; `heads` are its first ones."""
    grave = causes(faults)
    scored = [one for one in grave if one.scored]
    head = [*heads, *level_lines(levels, columns, note_of(faults))]
    foot = [
        *(line for text in to_do(scored, ways_out, asking.named, asking.search) for line in wrapped(text, columns, 2)),
        *wrapped(MORE, columns, 2),
    ]
    body = [
        *_scored_lines(scored, faults, levels, ways_out, columns),
        *_cause_lines(f"{BESIDE}:", [one for one in grave if not one.scored], ways_out, columns),
    ]
    room = MOST_LINES - len(head) - len(foot)
    if len(body) > room:
        left = len(body) - room + 1
        body = [*body[: room - 1], f"  {counted(left, 'more line')}: --all"]
    return [*head, *body, *foot]


def has_measured(levels: Iterable[RoleLevel]) -> bool:
    """Return whether a scored scenario was measured in any role."""
    return any(one.known or one.measured for one in levels)


def note_of(faults: Sequence[Fault]) -> str:
    """Return of which profiles the levels and findings are."""
    return PARTLY if any(Profile.parse(one.cell.profile).name == OWN_DEFAULTS for one in faults) else ISOLATED


def level_lines(levels: Sequence[RoleLevel], columns: int, note: str) -> Iterator[str]:
    """Yield a line per role, and what the figures are of."""
    for one in levels:
        yield from _entry(str(one.role), one.words, columns)
    if levels:
        yield from wrapped(f"  {note}", columns, 2)


def _scored_lines(
    scored: Sequence[Cause],
    faults: Sequence[Fault],
    levels: Sequence[RoleLevel],
    ways_out: Remedies,
    columns: int,
) -> Iterator[str]:
    if has_measured(levels) and not scored:
        yield NOTHING_STOPS
    is_guess = not any(fault.is_own for one in scored for fault in one.faults)
    yield from _cause_lines(f"{BY_OTHERS if is_guess else WORST_FIRST}:", scored, ways_out, columns)
    for harm in LESSER:
        if text := lesser([one for one in faults if is_scored(one)], harm):
            yield from _entry(harm.word, text, columns)


def _cause_lines(heading: str, found: Sequence[Cause], ways_out: Remedies, columns: int) -> Iterator[str]:
    if found:
        yield heading
    for one in found:
        yield from _entry(one.word, cause_text(one, ways_out), columns)


def cause_text(one: Cause, ways_out: Remedies) -> str:
    """Return a cause in words: where, why, and the version that mends it."""
    doubt = _doubt(one.faults)
    part = "that it stops is " if all(map(loses_and_stops, one.faults)) else ""
    ways = "".join(f"; {part}{text}" for text in _mended(one.faults, ways_out.mending))
    return f"{one.where}: {one.text}{doubt}{ways}"


def _doubt(faults: Sequence[Fault]) -> str:
    """Return in brackets what was measured in place of a client, and for which of the faults if not for all."""
    guesses = [fault for fault in faults if not fault.is_proven]
    measured = next((fault.stand_in for fault in guesses or faults if fault.stand_in), "")
    claim = str(guesses[0].finding).removesuffix(" fine") if guesses else ""  # what conforms may lose records: acks=1
    where = placed(guesses) if len(guesses) < len(faults) else ""
    words = [text for text in (where, claim, measured) if text]
    return f" ({': '.join(words)})" if words else ""


def _entry(word: str, text: str, columns: int) -> list[str]:
    space = " " * max(1, AT - 2 - len(word))
    return wrapped(f"  {word}{space}{visible(text)}", columns, AT)


def _mended(faults: Sequence[Fault], mending: Mapping[Cell, str]) -> Iterator[str]:
    """Yield the version that mends most faults of a cause."""
    ways: dict[str, int] = {}
    for fault in faults:
        if fault.evidence is not None and (way := mending.get(fault.evidence.cell)):
            ways[way] = ways.get(way, 0) + 1
    if ways:
        way = max(ways, key=lambda name: (ways[name], version_key(name)))
        word = "not seen in" if all(map(_is_chance, faults)) else "mended in"
        yield f"{word} {way}" + (f" ({ways[way]} of {len(faults)})" if ways[way] < len(faults) else "")


def _is_chance(fault: Fault) -> bool:
    """Return whether some trials of a fault's cell had less harm."""
    return fault.harm is not None and fault.harm.is_chance


def lesser(faults: Sequence[Fault], harm: Harm) -> str:
    """Return where a lesser harm is, as text, those that stall longest first."""
    found = [one for one in faults if one.harm is not None and one.harm.rank is harm and one.finding in BAD]
    if harm is not Harm.STALLS:
        return placed(found, NAMED)
    ordered = sorted(found, key=_stalls_ms, reverse=True)
    names = [f"{placed([one])} {_stalls_ms(one) / 1000:.0f} s" for one in ordered]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def _stalls_ms(fault: Fault) -> float:
    return 0.0 if fault.harm is None else fault.harm.worst.stalls_ms


def to_do(
    scored: Sequence[Cause],
    ways_out: Remedies,
    named: Callable[[Cell, str], str] = PLAIN.named,
    search: Callable[[Fault], str] = lambda _: "",
) -> Iterator[str]:
    """Yield what to do about what stops or loses: an upgrade, a setting, a restart, or that nothing is known.

    `named` is that of `Asking`, `search` says how to look for a version that mends a fault.
    """
    grave = [fault for one in scored for fault in one.faults if fault.evidence is not None]
    acks = [fault for fault in grave if is_mended_by_acks(fault)]
    others = [fault for fault in grave if not is_mended_by_acks(fault) or loses_and_stops(fault)]

    def version(fault: Fault) -> str:
        target = _target(fault, ways_out)
        return "" if fault.evidence is None or target is None else named(fault.evidence.cell, target.version)

    def profile(fault: Fault) -> str:
        return "" if fault.evidence is None else ways_out.helping.get(fault.evidence.cell, "")

    for name, mine in _by(others, version):
        sure, chance = ([one for one in mine if _is_chance(one) is kind] for kind in (False, True))
        if sure:
            yield f"{TO_DO}upgrade to {name}, {_mends(sure, ways_out)}"
        if chance:
            yield f"{placed(chance)} was not seen in {name}, where chance may decide as well"
    if acks:
        yield f"{TO_DO}write with acks=all, for {placed(acks)}"
    left = [fault for fault in others if not version(fault)]
    for name, mine in _by(left, profile):
        yield f"{TO_DO}profile {name} passes {placed(mine)}"
    if none := [fault for fault in left if not profile(fault)]:
        known = f"no released version is known to mend {placed(none)}: watch the age of the last success, and restart"
        yield f"{known}{search(none[0])}"
    yield from _restarts(others, ways_out.restarting)


def _target(fault: Fault, ways_out: Remedies) -> Target | None:
    return None if fault.evidence is None else ways_out.targets.get(fault.evidence.cell)


def _mends(faults: Sequence[Fault], ways_out: Remedies) -> str:
    """Return what a release mends of these faults, which have it as target, and what stops there."""
    target = _target(faults[0], ways_out)
    cells = [fault.evidence.cell for fault in faults if fault.evidence is not None]
    is_next = target is None or all(ways_out.mending.get(cell) == target.version for cell in cells)
    worse = (
        f"; but work stops there in {places(target.worse)}, where it goes on here" if target and target.worse else ""
    )
    less = target.less_measured if target else ""
    return f"{'the next release that' if is_next else 'which'} mends {placed(faults)}{worse}{less}"


def _by(faults: Iterable[Fault], way: Callable[[Fault], str]) -> list[tuple[str, list[Fault]]]:
    """Return the faults by what mends them, without those that nothing mends."""
    found: dict[str, list[Fault]] = {}
    for fault in faults:
        if name := way(fault):
            found.setdefault(name, []).append(fault)
    return list(found.items())


def _restarts(grave: Iterable[Fault], restarting: Mapping[Cell, bool]) -> Iterator[str]:
    """Yield whether a second instance works that starts under a fault which stops the first."""
    helps: dict[bool, list[Fault]] = {}
    for fault in grave:
        works = None if fault.evidence is None else restarting.get(fault.evidence.cell)
        if works is not None:
            helps.setdefault(works, []).append(fault)
    for works, mine in sorted(helps.items(), reverse=True):
        yield f"a restart under the fault {'helps' if works else 'does not help'} in {placed(mine)}"
