"""Versions of a family that tests of drivers try, and what they ask them for."""

from __future__ import annotations

import pytest

from probe.catalogue.families import Family

BUILD_S = 900
"""Time limit of a test that may have to build a library first: two minutes on two idle cores, once per cache."""


def tried(family: Family) -> tuple[str, ...]:
    """Return the core versions, without any the oldest and the newest that the fake serves.

    Applications have tests of their own. Of a wrapper it is the newest, as its library is tried beside it.
    """
    if family.core or family.judged_by or family.source.builds_on:
        return family.core
    if any(one.library for one in family.versions):
        return (family.newest.version,)
    old = family.behaviour.old_requests
    served = [one.version for one in family.versions if old is None or not old.covers(one.version)]
    return tuple(dict.fromkeys((*served[:1], *served[-1:])))


def profile_of(family: Family, name: str) -> str:
    """Return the profile of an instance. A library without acks-1 is not idempotent by default."""
    return "acks-1" if name == "refused" and "acks-1" in family.profiles else "isolated"


def marks(family: Family, place: int) -> list[pytest.MarkDecorator]:
    """Return the marks of the tests of a version at this place of `tried`: only the first core version is quick."""
    found = [pytest.mark.xdist_group(family.family)]
    if place or not family.core:
        found.append(pytest.mark.real)
    if family.source.kind == "crate" or family.source.build or family.source.cgo:
        found.append(pytest.mark.timeout(BUILD_S))
    return found
