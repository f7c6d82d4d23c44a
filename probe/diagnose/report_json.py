"""A diagnosis as JSON (docs/schema/diagnose.json)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from probe.cells.citations import said
from probe.diagnose.advice import Advice
from probe.diagnose.brokers import BrokerView
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import ClientFinding, Finding
from probe.diagnose.membership import Member
from probe.diagnose.objects import Item
from probe.diagnose.observation import zone_text
from probe.diagnose.share_sessions import ShareSession
from probe.protocol.names import api_name, error_name

Json = dict[str, Any]


def as_json(diagnosis: Diagnosis, advices: Sequence[tuple[ClientFinding, Advice]]) -> str:
    """Return everything that was found. Times are ISO 8601 in UTC, rates per second."""
    known = {one.key: advice for one, advice in advices}
    addresses = {one.number: one for one in diagnosis.brokers}
    document = {
        "begin": _time(diagnosis.begin) if diagnosis.events else None,
        "end": _time(diagnosis.until) if diagnosis.events else None,
        "events": diagnosis.events,
        "sources": list(diagnosis.sources),
        "log_zone": _log_zone(diagnosis),
        "clients": [_client(one, known.get(one.key), addresses) for one in diagnosis.clients],
        "brokers": [_broker(one) for one in diagnosis.brokers],
        "not_read": [
            {"file": one.file, "reason": one.reason, "count": one.count, "unit": one.unit} for one in diagnosis.left
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def _time(at: int) -> str:
    return datetime.fromtimestamp(at / 1e6, UTC).isoformat(timespec="microseconds")


def _log_zone(diagnosis: Diagnosis) -> Json | None:
    zone = diagnosis.log_zone
    return None if zone is None else {"zone": zone_text(zone.zone, diagnosis.begin), "by": zone.by}


def _maybe(at: int | None) -> str | None:
    return None if at is None else _time(at)


def _client(one: ClientFinding, advice: Advice | None, addresses: dict[int, BrokerView]) -> Json:
    library = one.library
    return {
        "address": one.key.address,
        "client_id": one.key.client_id,
        "source": one.source,
        "status": one.status,
        "reason": one.reason,
        "storm": one.storm,
        "log_in": None
        if one.log_in is None
        else {
            "mechanism": one.log_in.mechanism,
            "session_ms": one.log_in.session_ms,
            "expired_connections": one.expired,
        },
        "library": {
            "family": library.family,
            "versions": list(library.versions),
            "text": library.text,
            "sure": library.sure,
            "reported": library.reported,
            "note": library.note,
        },
        "connections": one.connections,
        "connections_opened": one.opened,
        "brokers": [_address(number, addresses) for number in one.brokers],
        "requests": one.requests,
        "bytes": one.bytes,
        "first": _time(one.first),
        "last": _time(one.last),
        "objects_without_trouble": one.healthy,
        "troubles": [_finding(item, addresses) for item in one.findings],
        "advice": None if advice is None else _advice(advice),
    }


def _finding(one: Finding, addresses: dict[int, BrokerView]) -> Json:
    asked = one.asked
    return {
        "object": _item(one.item),
        "status": one.status,
        "reason": one.reason,
        "role": one.role,
        "since": _time(one.since),
        "last": _time(one.last),
        "recovered": _maybe(one.recovered),
        "times": one.times,
        "broker": _address(one.broker, addresses),
        "errors": [
            {
                "code": item.code,
                "error": error_name(item.code),
                "api": api_name(item.api),
                "broker": _address(item.broker, addresses),
                "count": item.count,
                "first": _time(item.first),
                "last": _time(item.last),
            }
            for item in one.errors
        ],
        "cut_connections": one.cuts,
        "unanswered": one.silent,
        "asked": None
        if asked is None
        else {
            "count": asked.count,
            "first": _maybe(asked.first),
            "trigger": asked.trigger,
            "answered": asked.answered,
            "named": asked.named,
            "error": error_name(asked.code) if asked.code else "",
            "unknown": asked.unknown,
        },
        "leader": one.leader,
        "moved_to": None if one.moved_to is None else _address(one.moved_to, addresses),
        "futile_requests_per_s": round(one.futile_per_s, 3),
        "futile_bytes_per_s": None if one.futile_bytes_per_s is None else round(one.futile_bytes_per_s, 1),
        "storm": one.storm,
        "member": _member(one.member),
        "share_session": _session(one.session),
    }


def _session(one: ShareSession | None) -> Json | None:
    """Return the share session that a broker refused."""
    if one is None:
        return None
    return {"lost": _time(one.lost_at), "epoch": one.epoch, "answers": one.times, "begun": _maybe(one.begun_at)}


def _member(one: Member | None) -> Json | None:
    """Return a member's place in a group of the new protocols."""
    if one is None:
        return None
    fence = one.fence
    return {
        "epoch": one.epoch,
        "sent_epoch": one.sent,
        "times_fenced": one.fences,
        "fenced": None
        if fence is None
        else {
            "at": _time(fence.at),
            "error": error_name(fence.code),
            "epoch": fence.epoch,
            "answers": fence.times,
            "in_again": _maybe(fence.back_at),
            "in_again_epoch": fence.back_epoch,
        },
    }


def _item(item: Item) -> Json:
    return {"kind": item.kind, "name": item.name, "partition": item.partition}


def _address(number: int, addresses: dict[int, BrokerView]) -> Json:
    known = addresses.get(number)
    return {"address": known.address if known else "", "node": known.node if known else None}


def _broker(one: BrokerView) -> Json:
    return {
        "address": one.address,
        "node": one.node,
        "answers": one.answers,
        "serves": one.serves,
        "refused": [
            {
                "code": item.code,
                "error": error_name(item.code),
                "object": _item(item.item),
                "count": item.count,
                "leader": item.leads,
            }
            for item in one.refused
        ],
    }


def _advice(advice: Advice) -> Json:
    return {
        "same": [{**item.cell.columns(), **said(item), "reason": item.reason} for item in advice.same],
        "alike": list(advice.alike),
        "upgrade": advice.upgrade,
        "passes_in": list(advice.passes_in),
        "measures": [
            {
                "action": item.action,
                "helps": item.helps,
                "shown_by": {**item.shown_by.cell.columns(), **said(item.shown_by), "reason": item.shown_by.reason},
            }
            for item in advice.measures
        ],
        "unknown": advice.unknown,
    }
