"""Decode one connection from the lines of a request log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from probe.model import Event
from probe.protocol.advertised_nodes import Nodes
from probe.protocol.apis import API_VERSIONS, FETCH, PRODUCE
from probe.protocol.compiler import MALFORMED, Body
from probe.protocol.conversation import UNSUPPORTED_VERSION
from probe.protocol.decoder import Decoder
from probe.protocol.definitions import REQUEST, RESPONSE
from probe.protocol.digest import ANSWERS, QUESTIONS
from probe.protocol.exchanges import NOTHING, request_event, response_event
from probe.protocol.log_bodies import fitted
from probe.protocol.log_requests import Logged
from probe.protocol.names import api_name
from probe.protocol.rows import Asked, Digest, Names, row
from probe.protocol.schemas import Schemas
from probe.protocol.sessions import FetchSessions

SIZES, COUNT = "partitionSizes", "numPartitions"
"""The text in place of topics in Produce requests of text logs: at TRACE, and at DEBUG."""


class LoggedConversation(Decoder):
    """The connection of a client, as a broker logged it."""

    def __init__(self, conn: int, broker: int, schemas: Schemas, names: Names, sessions: FetchSessions) -> None:
        super().__init__(conn, broker, schemas, names, sessions)
        self.last_at = 0
        """Time of the last line."""
        self.nodes = Nodes()
        """Takes the addresses that answers name."""

    def take(self, line: Logged, at: int, out: list[Event]) -> None:
        """Append the events of a line that was written at `at`."""
        self.last_at = at
        asked = Asked(line.corr, line.api, line.version, at - line.total_us)
        body, problem = self._request_body(asked, line.request)
        self._first.take_body(asked, body)
        asked, question = self._question(asked, body)
        answer, answer_problem = self._answer(asked, line.response)
        if asked.api == PRODUCE and COUNT in (
            line.request or {}
        ):  # the answer names the partitions that were asked for
            question = question._replace(rows=tuple(row(one.topic, one.partition) for one in answer.rows))
        self.fold.take(
            request_event(asked, question, conn=self.conn, broker=self.broker, client_id=line.client_id, error=problem),
            out,
        )
        if line.response is not None:
            self.fold.take(
                response_event(asked, answer, at=at, conn=self.conn, broker=self.broker, error=answer_problem), out
            )

    def _request_body(self, asked: Asked, values: Mapping[str, Any] | None) -> tuple[Body | None, str]:
        """Return a request in the form of the wire, and why it could not be read."""
        if asked.api == PRODUCE and values is not None and values.keys() & {SIZES, COUNT}:
            return _short_produce(values), ""
        body, problem = self._fitted(asked, REQUEST, values)
        return body, problem if asked.api in QUESTIONS else ""

    def _fitted(self, asked: Asked, kind: str, values: Mapping[str, Any] | None) -> tuple[Body | None, str]:
        plan = self._schemas.layout(asked.api, asked.version, kind)
        if plan is None:
            return None, f"{api_name(asked.api)} version {asked.version} is in none of the definitions"
        try:
            return fitted(plan.items, values), ""
        except (*MALFORMED, AttributeError, RecursionError):
            return None, f"{api_name(asked.api)} v{asked.version} {kind.lower()} does not fit its definition"

    def _question(self, asked: Asked, body: Body | None) -> tuple[Asked, Digest]:
        if body is None or asked.api not in QUESTIONS:
            return asked, NOTHING
        return self._sessions.read(asked, body, self._names)

    def _answer(self, asked: Asked, values: Mapping[str, Any] | None) -> tuple[Digest, str]:
        if values is None or asked.api not in ANSWERS:
            return NOTHING, ""
        body, problem = self._fitted(_as_answered(asked, values), RESPONSE, values)
        if body is None:
            return NOTHING, problem
        if asked.api == FETCH:
            self._sessions.answered(body, asked)
        try:
            digest = ANSWERS[asked.api](body, asked, self._names)
        except TypeError:  # null where only some versions may have it
            return NOTHING, f"{api_name(asked.api)} v{asked.version} {RESPONSE.lower()} does not fit its definition"
        self.nodes.note(digest.nodes)
        return digest, ""


def _as_answered(asked: Asked, values: Mapping[str, Any]) -> Asked:
    """Return what was asked, in the version of the answer: brokers refuse an unknown one in the oldest (KIP-511)."""
    if asked.api != API_VERSIONS:
        return asked
    code = values.get("errorCode", values.get("error_code"))
    return asked._replace(version=0) if str(code) == str(UNSUPPORTED_VERSION) else asked


def _short_produce(values: Mapping[str, Any]) -> Body:
    """Return a Produce request of a text log, which names its partitions at TRACE only, as `topic-partition=bytes`."""
    named = (one.rpartition("=") for one in values.get(SIZES) or () if isinstance(one, str))
    places = [(*place.rpartition("-")[::2], size) for place, _, size in named]
    topics = [
        {"Name": topic, "PartitionData": [{"Index": int(partition), "Records": int(size)}]}
        for topic, partition, size in places
        if partition.isdecimal() and size.isdecimal()
    ]
    return {"Acks": _number(values, "acks"), "TimeoutMs": _number(values, "timeout"), "TopicData": topics}


def _number(values: Mapping[str, Any], name: str) -> int:
    found = str(values.get(name, ""))
    return int(found) if found.removeprefix("-").isdecimal() else 0
