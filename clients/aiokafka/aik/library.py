"""aiokafka as its driver describes it."""

from __future__ import annotations

import aiokafka
from driving.library import Library, Role, Stopping
from driving.reports import Reports

from aik.admin import admin
from aik.consumer import consumer, group
from aik.errors import error_of
from aik.living import in_a_loop
from aik.log import Notices
from aik.producer import producer
from aik.settings import PROFILES
from aik.transactional import transactional
from probe.driver_contract import driver_pb2 as pb

PLAYS = {
    "producer": producer,
    "consumer": consumer,
    "group": group,
    "transactional": transactional,
    "admin": admin,
}


def library() -> Library:
    """Describe the library that is on the path."""
    notices = Notices()
    notices.install()
    return Library(
        family="aiokafka",
        version=aiokafka.__version__,
        roles={name: _noticed(in_a_loop(play), notices) for name, play in PLAYS.items()},
        profiles=tuple(PROFILES),
        error_of=error_of,
    )


def _noticed(role: Role, notices: Notices) -> Role:
    def play(start: pb.Start, reports: Reports, stop: Stopping) -> None:
        notices.watch(reports)
        role(start, reports, stop)

    return play
