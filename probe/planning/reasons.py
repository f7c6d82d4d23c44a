"""Why a client has no cell in a scenario, whatever else is selected. Pure."""

from __future__ import annotations

from probe.catalogue.acks import DEFAULT, acks_of
from probe.catalogue.families import Span
from probe.catalogue.selectors import ONLY_FOR, Chosen
from probe.catalogue.workloads import unworked
from probe.model import Cell, Engine, Profile, Reaction, Role
from probe.model.engines import ENGINES
from probe.model.group_settings import GroupProtocol, group_protocol
from probe.model.profile import CONSUMER_PROTOCOL, STREAMS_PROTOCOL
from probe.model.release_lines import Since, has
from probe.model.roles import ROLES
from probe.protocol.api_table import protocol_of
from probe.protocol.apis import API_VERSIONS
from probe.protocol.names import api_name, error_code
from probe.scenarios.scenario import RoleVariant


def of_client(cell: Cell, chosen: Chosen, part: RoleVariant) -> str:
    """Return why the client never meets the fault, or why its reaction cannot be observed; empty if neither is so."""
    return (
        unworked(chosen, cell)
        or _security(cell, chosen)
        or _rack(cell, chosen)
        or _acks(cell, chosen, part)
        or _unobserved_error(chosen, part)
        or _not_absent(chosen, part)
        or _reads_all(chosen, part)
        or _unasked(chosen, cell.role, part)
        or _other_protocol(cell, part)
        or _no_such_groups(cell)
        or too_old(chosen, cell.engine, cell.broker)
    )


def unplayable(cell: Cell, chosen: Chosen) -> str:
    """Return why a client has a cell in no scenario: by its role, its profile or its requests; empty if it may."""
    return out_of_span(chosen, cell.role, Profile.parse(cell.profile)) or too_old(chosen, cell.engine, cell.broker)


def out_of_span(chosen: Chosen, role: Role, profile: Profile) -> str:
    """Return why a client lacks a role or a profile."""
    family, version = chosen.family, chosen.version.version
    if chosen.application is not None and not chosen.application.plays(role):
        return f"{chosen.application} has no role {role}"
    for kind, name, spans in (("role", str(role), family.roles), ("profile", profile.name, family.playable)):
        span = spans.get(name)
        if span is None:
            return f"{family.family} has no {kind} {name}"
        if not span.covers(version):
            return f"{family.family} has {kind} {name} {known_span(span)}"
    if role not in ONLY_FOR.get(profile.name, tuple(Role)):
        return f"profile {profile.name} does not apply to role {role}"
    return ""


def known_span(span: Span) -> str:
    """Return which versions a span has, and why the others are left out."""
    bounds = (span.since and f"since {span.since}", span.until and f"until {span.until}")
    return " ".join(filter(None, bounds)) + (f": {span.reason}" if span.reason else "")


def _security(cell: Cell, chosen: Chosen) -> str:
    """Return why a client, or the brokers, cannot have the security of the profile."""
    security = Profile.parse(cell.profile).security
    if security is None:
        return ""
    for name in security.needs:
        span = chosen.family.security.get(name)
        if span is None:
            return f"{cell.family} cannot be played with {name} here"
        if not span.covers(cell.version):
            return f"{cell.family} has {name} {known_span(span)}"
    return security.missing_on(cell.broker)


def _rack(cell: Cell, chosen: Chosen) -> str:
    """Return why no follower serves a client in a rack."""
    if Profile.parse(cell.profile).rack is None:
        return ""
    if not ROLES[cell.role].reads:
        return f"role {cell.role} reads nothing, and followers serve readers only"
    span = chosen.family.rack
    if span is None:
        return f"{cell.family} has no setting here by which a reader says in which rack it is"
    if not span.covers(cell.version):
        return f"{cell.family} has {span.setting} {known_span(span)}"
    if not has(cell.broker, Since.FOLLOWERS_SERVE):
        return f"brokers do it since Kafka {Since.FOLLOWERS_SERVE.line}: {Since.FOLLOWERS_SERVE.reason}"
    return ""


def _unobserved_error(chosen: Chosen, part: RoleVariant) -> str:
    """Return why it cannot be observed whether a required error was reported."""
    if chosen.family.judged_by and part.expectation.expects is Reaction.SURFACE:
        return f"{chosen.client.family} is an application that reports no single error, which is required here"
    return ""


def _not_absent(chosen: Chosen, part: RoleVariant) -> str:
    """Return why a client's application cannot be made absent."""
    if chosen.family.judged_by and part.alone:
        return f"{chosen.client.family} is an application with a process and a handler of its own, out of reach here"
    return ""


def _reads_all(chosen: Chosen, part: RoleVariant) -> str:
    """Return why a reader cannot be made to read committed records only."""
    if part.committed_only and not chosen.family.read_committed:
        return f"{chosen.client.family} has no setting here by which a reader is given committed records only"
    return ""


def _unasked(chosen: Chosen, role: Role, part: RoleVariant) -> str:
    """Return why an instance never sends the request that the scenario is about."""
    for item in chosen.family.behaviour.unasked:
        if item.role == role and part.expectation.apis == (item.api,) and item.covers(chosen.version.version):
            return f"{chosen.client.family} as {role} does not call {api_name(item.api)} here: {item.reason}"
    return ""


def _other_protocol(cell: Cell, part: RoleVariant) -> str:
    """Return why a member's group protocol has no such request."""
    own = group_protocol(cell)
    asked = part.group_protocol or next(filter(None, map(protocol_of, part.expectation.apis)), own)
    if not ROLES[cell.role].member or asked is own:
        return ""
    if own is not GroupProtocol.CLASSIC:
        return f"it is about {asked.value}; profile {Profile.parse(cell.profile).name} has another one"
    return f"it is about {asked.value}: profile {CONSUMER_PROTOCOL}, Kafka {Since.NEW_GROUPS.line} and newer"


def _no_such_groups(cell: Cell) -> str:
    """Return why brokers have no group of the kind that a client is to be a member of."""
    if ROLES[cell.role].shares and not has(cell.broker, Since.SHARE_GROUPS):
        return f"role {cell.role} needs Kafka {Since.SHARE_GROUPS.line} or newer: {Since.SHARE_GROUPS.reason}"
    if Profile.parse(cell.profile).name != STREAMS_PROTOCOL:
        return ""
    if not ENGINES[cell.engine].streams_groups:
        return f"{ENGINES[cell.engine].title} has no Streams groups (KIP-1071); --engine kafka has them"
    if not has(cell.broker, Since.STREAMS_GROUPS):
        since = Since.STREAMS_GROUPS
        return f"profile {STREAMS_PROTOCOL} needs Kafka {since.line} or newer: {since.reason}"
    return ""


def too_old(chosen: Chosen, engine: Engine, line: str) -> str:
    """Return why the embedded engine cannot be asked: of this line, only real brokers serve such old requests."""
    span = chosen.family.behaviour.old_requests
    if span is None or not ENGINES[engine].refuses_old_requests or not span.covers(chosen.version.version):
        return ""
    if has(line, Since.OLD_REQUESTS_REFUSED):
        return ""
    return f"before Kafka {Since.OLD_REQUESTS_REFUSED.line} only real brokers (--engine kafka) serve {span.reason}"


def _acks(cell: Cell, chosen: Chosen, part: RoleVariant) -> str:
    """Return why a client does not meet what only acks=all meets."""
    if not part.acks_all or not ROLES[cell.role].chooses_acks:
        return ""
    acks = acks_of(chosen.family, cell)
    if not acks.is_less:
        return ""
    if acks.why != DEFAULT:
        return f"{acks.why.removeprefix('by ')} waits for no other replica"
    writes = f"{cell.family} writes with acks={acks.value}, which waits for no other replica"
    return f"{writes}; profile idempotent asks for all" if "idempotent" in chosen.family.profiles else writes


def unnamed(chosen: Chosen, part: RoleVariant) -> str:
    """Return why brokers cannot tell a client that its connection leads to another node than it means."""
    span, play = chosen.family.behaviour.names_node, part.expectation
    if (play.apis, play.codes) != ((API_VERSIONS,), (error_code("REBOOTSTRAP_REQUIRED"),)):
        return ""
    if span is not None and span.covers(chosen.version.version):
        return ""
    since = f" before {span.since}" if span is not None else ""
    return f"{chosen.client.family}{since} does not say in ApiVersions which node it means (KIP-1242)"
