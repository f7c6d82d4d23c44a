"""librdkafka's callbacks as confluent_kafka.aio takes them: coroutine functions, which it awaits on the event loop."""

from __future__ import annotations

from typing import Any

from confluent_kafka import KafkaError
from librdkafka_driver.notices import Notices


def callbacks(notices: Notices) -> dict[str, Any]:
    """Return the settings that pass errors and log lines to `notices`."""

    async def failed(error: KafkaError) -> None:
        notices.error(error)

    return {**notices.callbacks(), "error_cb": failed}
