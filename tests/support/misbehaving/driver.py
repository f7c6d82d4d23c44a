"""Driver of the misbehaving client. It uses proto/driver.proto like every driver."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "clients" / "python")]

from driver_runtime.library import Library, Stopping, Unsupported  # noqa: E402  # as above
from driver_runtime.parent_watch import exit_with_parent, lead_process_group  # noqa: E402  # as above
from driver_runtime.reports import Reports  # noqa: E402  # as above
from driver_runtime.series import KEYED, series_of  # noqa: E402  # as above
from driver_runtime.session import attach  # noqa: E402  # the path is set above
from driver_runtime.workload import Ticker  # noqa: E402  # as above

from probe.driver_contract import driver_pb2 as pb  # noqa: E402  # as above
from tests.support.misbehaving.session import BACK_OFF_S, Client, Session, commit_all, error_of, read_all  # noqa: E402  # as above
from tests.support.misbehaving.ways import WAYS, Way  # noqa: E402  # as above

SHARE = "share"


def way_of(start: pb.Start) -> Way:
    name = start.properties.get("misbehave", "no")
    if unknown := set(start.properties) - {"misbehave"}:
        raise Unsupported(f"there is no setting {unknown.pop()!r}")
    if name not in WAYS:
        raise Unsupported(f"there is no way {name!r} to misbehave")
    return WAYS[name]


def play(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    way = way_of(start)
    client = way.client(start, reports, stop)
    kind = way.sharing if start.role == SHARE else way.session
    sessions = [kind(client, partition) for partition in start.partitions]
    reports.ready(settings(start, client) | dict(way.settings))
    client.begin()
    ROLES[start.role](start, client, sessions)
    while not stop.asked and not client.ended:
        stop.wait(BACK_OFF_S / 2)
    if client.ending is not None:
        raise client.ending
    client.close()


def produce(start: pb.Start, client: Client, sessions: list[Session]) -> None:
    by_partition = {item.partition: item for item in sessions}

    def operate(partition: int, sequence: int, clock: int) -> None:
        by_partition[partition].operate(sequence, clock)
        ticker.ended(partition, sequence)

    ticker = Ticker(start, operate)
    ticker.start(series_of(start), client.stop)


def consume(start: pb.Start, client: Client, sessions: list[Session]) -> None:
    client.reports.assigned(start.partitions)
    for session in sessions:
        threading.Thread(target=read_all, args=(session,), daemon=True).start()


def join(start: pb.Start, client: Client, sessions: list[Session]) -> None:
    """Read all partitions without joining, and commit for the group."""
    consume(start, client, sessions)
    threading.Thread(target=commit_all, args=(client, sessions), daemon=True).start()


def share(_: pb.Start, __: Client, sessions: list[Session]) -> None:
    """Read all partitions as members of a share group, one each."""
    for session in sessions:
        threading.Thread(target=read_all, args=(session,), daemon=True).start()


ROLES = {"producer": produce, "consumer": consume, "group": join, SHARE: share}


def settings(start: pb.Start, client: Client) -> dict[str, str]:
    back_off = str(int(BACK_OFF_S * 1000))
    found = {"retry_backoff_ms": back_off, "longest_backoff_ms": back_off, "refresh_ms": "-1"}
    if start.role == "producer":
        found["acks"] = "all" if client.acks < 0 else str(client.acks)
        found["retries"] = "2147483647"
        found["idempotence"] = str(start.profile == "idempotent").lower()
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--connect", required=True)
    parser.add_argument("--token", required=True)
    arguments = parser.parse_args()
    lead_process_group()
    exit_with_parent()
    library = Library(
        family="misbehaving",
        version="1.0.0",
        roles=dict.fromkeys(ROLES, play),
        profiles=("isolated", "idempotent", "acks-1"),
        error_of=error_of,
        without={KEYED: "it chooses no partition by itself"},
    )
    problem = attach(library, arguments.connect, arguments.token)
    sys.stderr.write(problem)
    os._exit(1 if problem else 0)


if __name__ == "__main__":
    main()
