"""Facts as short tokens of text: `h12` is fault_hits = 12, `~sf` are soft_hits and failed_ops = 0.

What has its usual value is left out. Times are whole milliseconds. APIs stand with their key: `v0.7,3.12` is Produce 7,
Metadata 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from probe.model.columns import FACTS, Facts
from probe.model.results import facts_of
from probe.model.schema import Type
from probe.model.words import PhaseClock
from probe.protocol.names import api_key, api_name

LETTERS: Mapping[str, str] = MappingProxyType(
    {
        "fault_codes": "c",
        "api_versions": "v",
        "fault_hits": "h",
        "soft_hits": "s",
        "hits_before_ask": "b",
        "refresh_trigger": "t",
        "refresh_ms": "m",
        "refreshes": "n",
        "side_requests": "i",
        "storm": "S",
        "connects": "C",
        "reroute": "w",
        "reroute_ms": "W",
        "rescued_by": "R",
        "recovered": "r",
        "recovery_ms": "M",
        "outage_ms": "o",
        "after_heal": "H",
        "close_ms": "x",
        "errors_surfaced": "e",
        "failed_ops": "f",
        "first_error": "E",
        "futile_requests_per_s": "q",
        "futile_per_op": "Q",
        "futile_bytes_per_s": "B",
        "bystander_gap_ms": "g",
        "bystander_errors": "G",
        "acked": "a",
        "lost": "l",
        "duplicated": "d",
        "reordered": "O",
        "position_jump": "j",
        "watched_ms": "T",
        "kept_ms": "k",
        "discoveries_over": "D",
        "announced_hit_ms": "A",
        "joins": "J",
        "bystander_own_gap_ms": "y",
        "unresolved": "u",
        "phantom": "p",
        "phase_clock": "P",
        "phase": "z",
        "blocked_ms": "L",
        "young": "Y",
        "still_ms": "F",
        "ended_by": "N",
        "own_limit": "U",
        "own_limit_ms": "V",
        "age_ms": "Z",
        "reason_by": "K",
        "reason_ms": "X",
    }
)
"""The letter of each fact. A new fact gets one that is free; a letter is never used for another fact."""
_NAMES = {letter: name for name, letter in LETTERS.items()}
_DEFAULTS: Mapping[str, Any] = {field.name: getattr(Facts(), field.name) for field in fields(Facts)}
_USUAL: Mapping[str, Any] = MappingProxyType({**_DEFAULTS, "phase_clock": PhaseClock.OPERATION})
"""The values that are left out: the defaults, but for one fact that nearly all trials have."""
_SAME_AS = {"bystander_own_gap_ms": "bystander_gap_ms"}
"""Facts that are left out where they equal another one."""
NULL, ZEROS = "-", "~"
_ESCAPES = (("\\", "\\\\"), (" ", "\\s"), ("\t", "\\t"), ("\n", "\\n"))


def tokens_of(facts: Facts) -> Iterator[str]:
    """Yield the tokens of facts, in the order of the letters; the zeros come last, in one."""
    zeros = ""
    for name, letter in LETTERS.items():
        value = getattr(facts, name)
        text = _written(FACTS[name], name, value)
        if name in _SAME_AS and text == _written(Type.DOUBLE, name, getattr(facts, _SAME_AS[name])):
            continue
        if name not in _SAME_AS and value == _USUAL[name]:
            continue
        if text == "0":
            zeros += letter
        else:
            yield f"{letter}{text}"
    if zeros:
        yield f"{ZEROS}{zeros}"


def _written(kind: Type, name: str, value: Any) -> str:
    if value is None:
        return NULL
    return str(round(value)) if name in _TIMES else _WRITERS[kind](value)


def _rounded(value: float) -> str:
    """Return a rate or a share with three decimals at most, with one from 10 on."""
    digits = 3 if abs(value) < 10 else 1
    return f"{round(value, digits) + 0.0:.{digits}f}".rstrip("0").rstrip(".")  # no negative zero


_TIMES = frozenset(name for name, kind in FACTS.items() if kind is Type.DOUBLE and name.endswith("_ms"))
_WRITERS: Mapping[Type, Callable[[Any], str]] = {
    Type.CODES: lambda codes: ",".join(map(str, codes)),
    Type.VERSIONS: lambda pairs: ",".join(f"{api_key(api)}.{version}" for api, version in pairs),
    Type.STRING: lambda text: escaped(str(text)),
    Type.BOOLEAN: lambda value: str(int(value)),
    Type.INT: str,
    Type.BIGINT: str,
    Type.DOUBLE: _rounded,
}


def facts_in(tokens: Iterable[str]) -> Facts:
    """Return the facts of tokens. KeyError for an unknown letter, ValueError for a value of another type."""
    values: dict[str, Any] = {}
    for token in tokens:
        if token.startswith(ZEROS):
            values |= {_NAMES[letter]: _READERS[FACTS[_NAMES[letter]]]("0") for letter in token[1:]}
        else:
            name = _NAMES[token[0]]
            values[name] = None if token[1:] in {NULL, ""} else _READERS[FACTS[name]](token[1:])
    values.setdefault("phase_clock", _USUAL["phase_clock"])
    for name, other in _SAME_AS.items():
        if name not in values and other in values:
            values[name] = values[other]
    return facts_of({name: value for name, value in values.items() if value is not None})


def _versions(text: str) -> list[dict[str, object]]:
    pairs = (pair.split(".") for pair in text.split(","))
    return [{"api": api_name(int(key)), "version": int(version)} for key, version in pairs]


def escaped(text: str, *, spaces: bool = True) -> str:
    """Return a text without tabs and ends of lines, and without spaces if wanted."""
    for sign, code in _ESCAPES:
        if spaces or sign != " ":
            text = text.replace(sign, code)
    return text


def plain(text: str) -> str:
    """Return the text that was escaped."""
    if "\\" not in text:
        return text
    codes = {code[1]: sign for sign, code in _ESCAPES}
    parts = iter(text)
    return "".join(codes.get(next(parts, ""), "") if part == "\\" else part for part in parts)


_LARGEST = 2**63 - 1


def whole_number(text: str) -> int:
    """Return a whole number that the columns of evidence hold: 64 bits with a sign. ValueError otherwise."""
    number = int(text)
    if abs(number) > _LARGEST:
        raise ValueError(f"{text[:20]}... is larger than 64 bits")
    return number


_READERS: Mapping[Type, Callable[[str], Any]] = {
    Type.CODES: lambda text: [whole_number(code) for code in text.split(",")],
    Type.VERSIONS: _versions,
    Type.STRING: plain,
    Type.BOOLEAN: lambda text: bool(int(text)),
    Type.INT: whole_number,
    Type.BIGINT: whole_number,
    Type.DOUBLE: float,
}
