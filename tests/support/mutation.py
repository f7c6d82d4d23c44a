"""Random alterations of a sample: bytes, numbers, lines and whole stretches."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

LONGEST = 256 * 1024
"""Bytes of an altered sample at most."""
EDGES = (
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    2**63 - 1,
    2**63,
    2**64 - 1,
)
WORDS = (
    b"",
    b"null",
    b"-1",
    b"1e999",
    b"NaN",
    b"true",
    b"{}",
    b"[]",
    b'"',
    b"'",
    b"\\",
    b"\xff\xfe",
    b"\r\n",
    b"\x00",
    b"\t",
    b"%",
    b"..",
    b"[" * 9999,
    b'{"a":' * 3333,
)

Alteration = Callable[[bytes, random.Random, bytes], bytes]


def altered(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Return a sample with one to eight alterations; `other` is a sample that stretches are taken from."""
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        data = rng.choice(ALTERATIONS)(data, rng, other)[:LONGEST]
    return data


def _place(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _stretch(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = _place(data, rng)
    return start, min(len(data), start + int(rng.expovariate(1 / 30)))


def _flip(data: bytes, rng: random.Random, _: bytes) -> bytes:
    if not data:
        return data
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]


def _cut(data: bytes, rng: random.Random, _: bytes) -> bytes:
    return data[: _place(data, rng)]


def _remove(data: bytes, rng: random.Random, _: bytes) -> bytes:
    start, end = _stretch(data, rng)
    return data[:start] + data[end:]


def _double(data: bytes, rng: random.Random, _: bytes) -> bytes:
    start, end = _stretch(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 2, 40)) + data[end:]


def _splice(data: bytes, rng: random.Random, other: bytes) -> bytes:
    start, end = _stretch(other, rng)
    place = _place(data, rng)
    return data[:place] + other[start:end] + data[place + rng.choice((0, end - start)) :]


def _swap(_: bytes, __: random.Random, other: bytes) -> bytes:
    return other


def _edge(data: bytes, rng: random.Random, _: bytes) -> bytes:
    size = rng.choice((1, 2, 4, 8))
    value = (rng.choice(EDGES) % (1 << 8 * size)).to_bytes(size, "big")
    value = rng.choice((value, value[::-1]))
    place = _place(data, rng)
    return data[:place] + value + data[place + size :]


def _number(data: bytes, rng: random.Random, _: bytes) -> bytes:
    """Replace a number of the text by one at an edge."""
    found = list(re.finditer(rb"\d+", data[:65536]))
    if not found:
        return data
    one = rng.choice(found)
    return data[: one.start()] + str(rng.choice((*EDGES, -1, 10**40))).encode() + data[one.end() :]


def _word(data: bytes, rng: random.Random, _: bytes) -> bytes:
    start, end = _stretch(data, rng)
    return data[:start] + rng.choice(WORDS) + data[rng.choice((start, end)) :]


def _lines(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Remove, double, move or take over a line."""
    mine = data.splitlines(keepends=True) or [b""]
    theirs = other.splitlines(keepends=True) or [b""]
    place = rng.randrange(len(mine))
    mine[place : place + rng.choice((0, 1))] = rng.choice(([], [rng.choice(mine)] * 2, [rng.choice(theirs)]))
    return b"".join(mine)


ALTERATIONS: tuple[Alteration, ...] = (_flip, _cut, _remove, _double, _splice, _swap, _edge, _number, _word, _lines)
