"""Trials of one line of evidence: a later trial writes only the facts that differ from the trial before it.

A trial that is written so begins, behind its head, with `=`. Tokens follow that are new or different, then `!` with the
letters of facts that the trial before has and this one does not. Trials of a cell share most of their facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

SAME, WITHOUT = "=", "!"


def shortened(trials: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the tokens of trials, a head and facts each, as what differs from the trial before if that is shorter."""
    before: dict[str, str] = {}
    for head, *tokens in trials:
        now = {token[0]: token for token in tokens}
        gone = "".join(letter for letter in before if letter not in now)
        differing = [token for token in tokens if before.get(token[0]) != token]
        short = [SAME, *differing, *([f"{WITHOUT}{gone}"] if gone else [])]
        yield [head, *(short if before and len(" ".join(short)) < len(" ".join(tokens)) else tokens)]
        before = now


def lengthened(trials: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the whole tokens of trials that were shortened. ValueError if the first one refers to another."""
    before: dict[str, str] | None = None
    for head, *tokens in trials:
        now = {token[0]: token for token in tokens}
        if now.pop(SAME, None):
            if before is None:
                raise ValueError(f"{head} refers to a trial before the first")
            gone = now.pop(WITHOUT, "")
            now = {letter: token for letter, token in (before | now).items() if letter not in gone}
        yield [head, *now.values()]
        before = now
