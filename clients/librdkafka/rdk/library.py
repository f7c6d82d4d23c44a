"""librdkafka as its driver describes it."""

from __future__ import annotations

import confluent_kafka
from driving.library import Library, Role

from rdk import admin
from rdk.consumer import consumer, group
from rdk.errors import error_of
from rdk.producer import producer
from rdk.settings import PROFILES
from rdk.transactional import transactional

ROLES: dict[str, Role] = {
    "producer": producer,
    "consumer": consumer,
    "group": group,
    "transactional": transactional,
    "admin": admin.admin,
}


def library() -> Library:
    """Describe the library that is on the path."""
    return Library(
        family="librdkafka",
        version=confluent_kafka.libversion()[0],
        roles={name: role for name, role in ROLES.items() if name != "admin" or admin.available()},
        profiles=tuple(PROFILES),
        error_of=error_of,
    )
