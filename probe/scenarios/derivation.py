"""Families of scenarios that are made of others: another name and story, and each variant changed or left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from probe.scenarios.scenario import RoleVariant, Scenario


def derived(
    base: Scenario,
    prefix: str,
    story: str,
    stands: Callable[[RoleVariant], bool],
    changed: Callable[[RoleVariant], RoleVariant],
) -> Scenario | None:
    """Return the scenario of a family, or None where no variant stands or the base is of this family already.

    `story` names the base in `{name}` and `{summary}`.
    """
    variants, real = (tuple(changed(one) for one in some if stands(one)) for some in (base.variants, base.real))
    if not variants or base.name.startswith(prefix):
        return None
    text = story.format(name=base.name, summary=base.summary)
    return replace(base, name=prefix + base.name, story=text, variants=variants, real=real)
