"""librdkafka as described by its driver."""

from __future__ import annotations

from importlib.util import find_spec

from driver_runtime.library import Library, Role

from librdkafka_driver import share, transactional
from librdkafka_driver.consumer import consumer, group
from librdkafka_driver.errors import error_of
from librdkafka_driver.origin import library_file
from librdkafka_driver.producer import producer
from librdkafka_driver.settings import VERSION, profiles


def library() -> Library:
    """Describe the library on the path."""
    return Library(
        family="librdkafka",
        version=VERSION,
        roles=_roles(),
        profiles=profiles(),
        error_of=error_of,
        origin=library_file(),
    )


def _roles() -> dict[str, Role]:
    found: dict[str, Role] = {"producer": producer, "consumer": consumer, "group": group}
    if transactional.available():
        found["transactional"] = transactional.transactional
    if share.available():
        found["share"] = share.share
    if find_spec("confluent_kafka.admin"):  # the driver's own binding has none
        from librdkafka_driver import admin  # noqa: PLC0415  # see the condition

        if admin.available():
            found["admin"] = admin.admin
    return found
