"""The answer of `probe clients --released`: the releases that registries serve and that no evidence has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from probe.catalogue.releases import Released, ReleaseList
from probe.model.counts import counted


def unmeasured(releases: ReleaseList, measured: Collection[str]) -> tuple[list[Released], list[Released]]:
    """Return the releases that nobody measured: those that stand, and those that were taken back."""
    left = [one for one in releases.releases if one.version not in measured]
    return [one for one in left if not one.withdrawn], [one for one in left if one.withdrawn]


def released_lines(family: str, releases: ReleaseList, measured: Collection[str]) -> Iterator[str]:
    """Yield what a registry serves of a family and no evidence has, with dates."""
    standing, taken_back = unmeasured(releases, measured)
    there = sum(one.version in measured for one in releases.releases)
    yield (
        f"{family}: {counted(len(releases.releases), 'release')} ({releases.source}, read {releases.read}); "
        f"{there} measured, {len(standing)} not, {len(taken_back)} taken back and not measured"
    )
    if standing:
        yield f"  not measured: {', '.join(_dated(one) for one in standing)}"
    for one in taken_back:
        yield f"  {one.version} was {one.withdrawn}"


def released_json(family: str, releases: ReleaseList, measured: Collection[str]) -> Mapping[str, object]:
    """Return the same for programs; an empty date is one that no registry tells."""
    return {
        "family": family,
        "source": releases.source,
        "read": releases.read,
        "releases": [
            {
                "version": one.version,
                "artifact": one.artifact or one.version,
                "released": one.released,
                "withdrawn": one.withdrawn,
                "measured": one.version in measured,
            }
            for one in releases.releases
        ],
    }


def _dated(one: Released) -> str:
    return f"{one.version} ({one.released})" if one.released else one.version
