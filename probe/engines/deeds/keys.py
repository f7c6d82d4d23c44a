"""In which partition of an internal topic a key lies. Pure."""

from __future__ import annotations


def java_hash(text: str) -> int:
    """Return Java's hash code of a string without its sign, as Kafka's Utils.abs does.

    >>> java_hash("group")
    98629247
    """
    value = 0
    for letter in text:
        value = (31 * value + ord(letter)) & 0xFFFFFFFF
    return value & 0x7FFFFFFF


def partition_of(key: str, partitions: int) -> int:
    """Return the partition of __consumer_offsets or __transaction_state that a key belongs to."""
    return java_hash(key) % partitions
