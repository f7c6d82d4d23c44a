"""kafka-python as described by its driver."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import kafka
from driver_runtime.library import Library, Role, Stopping
from driver_runtime.profiles import COOPERATIVE, STATIC_MEMBER
from driver_runtime.reports import Reports
from kafka import KafkaProducer

from kafka_python_driver import transactional
from kafka_python_driver.admin import admin
from kafka_python_driver.consumer import consumer, group
from kafka_python_driver.errors import error_of
from kafka_python_driver.notices import Notices
from kafka_python_driver.producer import producer
from kafka_python_driver.settings import COOPERATIVE_ASSIGNORS, PROFILES
from probe.driver_contract import driver_pb2 as pb

ROLES: dict[str, Role] = {
    "producer": producer,
    "consumer": consumer,
    "group": group,
    "admin": admin,
    **({"transactional": transactional.transactional} if transactional.available() else {}),
}


FORK = "kafka-python-ng"


def family() -> str:
    """Return the family: the fork installs the same module, and only its package has another name."""
    try:
        version(FORK)
    except PackageNotFoundError:
        return "kafka-python"
    return FORK


def library() -> Library:
    """Describe the library on the path."""
    notices = Notices()
    notices.install()
    return Library(
        family=family(),
        version=kafka.__version__,
        roles={name: _with_notices(role, notices) for name, role in ROLES.items()},
        profiles=tuple(name for name in PROFILES if _has(name)),
        error_of=error_of,
    )


def _has(profile: str) -> bool:
    """Return whether this version knows every setting of a profile, as producer or as consumer."""
    known = {**KafkaProducer.DEFAULT_CONFIG, **kafka.KafkaConsumer.DEFAULT_CONFIG}
    if profile == STATIC_MEMBER and "group_instance_id" not in known:
        return False
    if profile == COOPERATIVE and not COOPERATIVE_ASSIGNORS:
        return False
    has_codec = profile != "zstd" or "zstd" in KafkaProducer._COMPRESSORS  # noqa: SLF001  # no public list of codecs
    return has_codec and all(key in known for key in PROFILES[profile])


def _with_notices(role: Role, notices: Notices) -> Role:
    def run(start: pb.Start, reports: Reports, stop: Stopping) -> None:
        notices.watch(start.client_id, reports)
        role(start, reports, stop)

    return run
