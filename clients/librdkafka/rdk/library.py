"""librdkafka as its driver describes it."""

from __future__ import annotations

from importlib.util import find_spec

import confluent_kafka
from driving.library import Library, Role

from rdk import transactional
from rdk.consumer import consumer, group
from rdk.errors import error_of
from rdk.origin import library_file
from rdk.producer import producer
from rdk.settings import profiles


def library() -> Library:
    """Describe the library that is on the path."""
    return Library(
        family="librdkafka",
        version=confluent_kafka.libversion()[0],
        roles=_roles(),
        profiles=profiles(),
        error_of=error_of,
        origin=library_file(),
    )


def _roles() -> dict[str, Role]:
    found: dict[str, Role] = {"producer": producer, "consumer": consumer, "group": group}
    if transactional.available():
        found["transactional"] = transactional.transactional
    if find_spec("confluent_kafka.admin"):  # our binding has none
        from rdk import admin  # noqa: PLC0415  # see the condition

        if admin.available():
            found["admin"] = admin.admin
    return found
