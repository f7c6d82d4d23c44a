"""confluent_kafka.aio as described by its driver."""

from __future__ import annotations

import confluent_kafka
from driver_runtime.event_loop import in_event_loop
from driver_runtime.library import Library
from librdkafka_driver.errors import error_of
from librdkafka_driver.origin import library_file
from librdkafka_driver.settings import profiles

from confluent_kafka_aio_driver.consumer import consumer, group
from confluent_kafka_aio_driver.producer import producer
from confluent_kafka_aio_driver.transactional import transactional

ROLES = {"producer": producer, "consumer": consumer, "group": group, "transactional": transactional}


def library() -> Library:
    """Describe the library on the path."""
    return Library(
        family="confluent-kafka-aio",
        version=str(confluent_kafka.__version__),
        roles={name: in_event_loop(role) for name, role in ROLES.items()},
        profiles=profiles(),
        error_of=error_of,
        origin=library_file(),
    )
