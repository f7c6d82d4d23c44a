"""The request that sets client quotas (KIP-546); `wire` has the encoding."""

from __future__ import annotations

from collections.abc import Sequence

from probe.engines.kafka.admin.requests import check
from probe.engines.kafka.admin.wire import Line, Writer
from probe.protocol import apis

CLIENT_ID = "client-id"
"""Type of the entity that a client's own id names."""


async def alter_quotas(line: Line, clients: Sequence[str], key: str, value: float | None) -> None:
    """Set a quota of each client id, or remove it (None). BrokerError with the first code."""

    def entry(writer: Writer, client: str) -> object:
        writer.pack("i", 1).string(CLIENT_ID).string(client)
        return writer.pack("i", 1).string(key).pack("db", value or 0.0, value is None)

    answer = await line.ask(apis.ALTER_CLIENT_QUOTAS, 0, Writer().array(clients, entry).pack("b", 0))
    answer.number("i")
    for _ in range(answer.number("i")):
        code, text = answer.number("h"), answer.string()
        for _ in range(answer.number("i")):
            answer.string()
            answer.string()
        check(f"setting the quota {key}", code, text)
