"""Relations of applications and wrappers to a version of the library inside them."""

from __future__ import annotations

from collections.abc import Mapping

from probe.catalogue.apps import App, Application, listed
from probe.model import Profile, Role


def inside_of(apps: Mapping[str, App], family: str, version: str) -> list[str]:
    """Return the applications and wrappers with this version of a library inside, and their relation to its rows."""
    relation = {"application": "which has settings of its own", "wrapper": "which sets nothing of its own"}
    return [
        f"{app.name} {item.span} ({relation[app.kind]})"
        for app in listed(apps)
        for item in app.versions
        if (app.family, item.library) == (family, version) and not app.artifacts
    ]


def stand_for(apps: Mapping[str, App], family: str, version: str, role: Role, profile: Profile) -> list[str]:
    """Return the applications and wrappers with this client and profile, such as `filebeat 8.0.0 to 8.16.1`."""
    found = []
    for app in listed(apps):
        fits = [item for item in app.versions if app.family == family and item.library == version]
        for item in fits:
            one = Application(app, item.last)
            if one.plays(role) and one.profile(profile.plain(), role) == profile:
                found.append(f"{app.name} {item.span}")
    return found
