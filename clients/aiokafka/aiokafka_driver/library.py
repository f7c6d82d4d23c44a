"""aiokafka as described by its driver."""

from __future__ import annotations

import aiokafka
from driver_runtime.event_loop import in_event_loop
from driver_runtime.library import Library, Role, Stopping
from driver_runtime.profiles import STATIC_MEMBER
from driver_runtime.reports import Reports

from aiokafka_driver.admin import admin
from aiokafka_driver.consumer import consumer, group
from aiokafka_driver.errors import error_of
from aiokafka_driver.notices import Notices
from aiokafka_driver.producer import producer
from aiokafka_driver.settings import PROFILES, has_instance_id
from aiokafka_driver.transactional import transactional
from probe.driver_contract import driver_pb2 as pb

ROLES = {
    "producer": producer,
    "consumer": consumer,
    "group": group,
    "transactional": transactional,
    "admin": admin,
}


def library() -> Library:
    """Describe the library on the path."""
    notices = Notices()
    notices.install()
    return Library(
        family="aiokafka",
        version=aiokafka.__version__,
        roles={name: _with_notices(in_event_loop(role), notices) for name, role in ROLES.items()},
        profiles=tuple(name for name in PROFILES if name != STATIC_MEMBER or has_instance_id()),
        error_of=error_of,
    )


def _with_notices(role: Role, notices: Notices) -> Role:
    def run(start: pb.Start, reports: Reports, stop: Stopping) -> None:
        notices.watch(reports)
        role(start, reports, stop)

    return run
