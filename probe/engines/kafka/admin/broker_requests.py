"""The request that sets properties of a running broker (KIP-339); `wire` has the encoding."""

from __future__ import annotations

from collections.abc import Mapping

from probe.engines.kafka.admin.requests import check
from probe.engines.kafka.admin.wire import Line, Writer
from probe.protocol import apis

BROKER_RESOURCE, SET = 4, 0


async def alter_broker(line: Line, node: int, config: Mapping[str, str]) -> None:
    """Set properties of the broker that the line leads to. BrokerError with the first code."""

    def entry(writer: Writer, item: tuple[str, str]) -> object:
        return writer.string(item[0]).pack("b", SET).string(item[1])

    body = Writer().pack("ib", 1, BROKER_RESOURCE).string(str(node)).array(sorted(config.items()), entry).pack("b", 0)
    answer = await line.ask(apis.INCREMENTAL_ALTER_CONFIGS, 0, body)
    answer.number("i")
    for _ in range(answer.number("i")):
        code, text = answer.number("h"), answer.string()
        answer.number("b")
        answer.string()
        check(f"setting properties of broker {node}", code, text)
