"""The sides that answer a command about one client by its name."""

from __future__ import annotations

from collections.abc import Sequence

from probe.catalogue.families import CatalogueError
from probe.catalogue.identities import family_of, identify
from probe.catalogue.selectors import Chosen, select_clients
from probe.cli.wiring.catalogue import apps, by_number, families
from probe.cli.wiring.sides import AskedClient, library_side, sides_of
from probe.errors import ProbeError


def asked_sides(client: str, command: str) -> tuple[AskedClient, ...]:
    """Return what answers for a name, without a registry. ProbeError for an unknown one, or several versions."""
    name, at, _ = client.partition("@")
    driven = family_of(name, families(), apps())
    try:
        if not at and driven:
            return (AskedClient(select_clients(families(), [driven], by_number)[-1]),)
        if not driven:
            return (_one(client, select_clients(families(), [client], by_number, apps()), command),)
        return sides_of(identify(families(), client, by_number, apps()))
    except CatalogueError as error:
        raise ProbeError(str(error).replace("--client", command)) from None


def _one(client: str, found: Sequence[Chosen], command: str) -> AskedClient:
    if "@" in client and len(found) > 1:
        family = client.partition("@")[0]
        raise ProbeError(f"{command} {client}: {len(found)} versions; name one, or {family} for a line about each")
    return library_side(found[-1])
