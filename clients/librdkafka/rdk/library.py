"""librdkafka as its driver describes it."""

from __future__ import annotations

import confluent_kafka
from driving.library import Library, Role

from rdk.consumer import consumer, group
from rdk.errors import error_of
from rdk.producer import producer
from rdk.settings import PROFILES

ROLES: dict[str, Role] = {"producer": producer, "consumer": consumer, "group": group}


def library() -> Library:
    """Describe the library that is on the path."""
    return Library(
        family="librdkafka",
        version=confluent_kafka.libversion()[0],
        roles=ROLES,
        profiles=tuple(PROFILES),
        error_of=error_of,
    )
