"""The partition of an internal topic that a key belongs to. Pure."""

from __future__ import annotations

from functools import lru_cache

KEPT = 4096
"""Size of the cache: the same few keys are needed at every poll of their coordinators."""


@lru_cache(KEPT)
def java_hash(text: str) -> int:
    """Return Java's hash code of a string without its sign, as by Kafka's Utils.abs.

    >>> java_hash("group"), java_hash("polygenelubricants")
    (98629247, 0)
    """
    value = 0
    for letter in text:
        value = (31 * value + ord(letter)) & 0xFFFFFFFF
    signed = value - (1 << 32) if value >= 1 << 31 else value
    return 0 if signed == -(1 << 31) else abs(signed)


def partition_of(key: str, partitions: int) -> int:
    """Return the partition of __consumer_offsets or __transaction_state that a key belongs to."""
    return java_hash(key) % partitions
