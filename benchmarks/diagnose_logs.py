"""Agreement of `probe diagnose` with the verdicts of trials whose input is one real broker's request log.

    python benchmarks/diagnose_logs.py [--broker 2.6 ...] [--scenario S ...] [--client C ...] [--role R ...] [--list]

Trials are played on real brokers that write request logs at DEBUG. Of each trial the lines of the broker that fails are
read, those of the trial's own client up to the end of its window, and what is said is compared with its verdict, as
`diagnose_trials.py` does with captures.
"""

# the figures are the output of this command

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from diagnose_trials import Compared, client_of, report
from diagnose_truth import LEFT_OUT, right_for
from incident_recording import ZONE, write_request_logging

from probe import store
from probe.cli.console.streams import say
from probe.cli.wiring.composition import get_clients
from probe.cli.wiring.diagnosis import diagnose_files
from probe.cli.wiring.execution import PreparedRun, execute
from probe.cli.wiring.kafka_engine import RealBrokers, description, exact_versions, kafka_engine
from probe.cli.wiring.run_selection import RunSelection
from probe.diagnose.input.log_lines import time_of
from probe.diagnose.observation import LogZone, ZoneBy
from probe.engines.kafka.engine import Kafka
from probe.model import Engine, History, Role
from probe.model.clock import now_us
from probe.planning.plan import Plan
from probe.runner import Options
from probe.store import RunStore, TrialRow
from probe.verdict.timeline import EventIndex, find_timeline

BROKERS = ("2.6", "3.9", "4.4")
SCENARIOS = ("disk/storage-error", "leader/elected", "broker/shutdown", "net/reset")
CLIENTS = (
    "sarama@1.43.2",
    "sarama@1.61.1",
    "java@3.9.2",
    "java@4.4.0",
    "franz-go@1.22.3",
    "librdkafka@2.16.0",
    "kafka-python@3.0.12",
    "kafka-go@0.4.51",
)
ROLES = (Role.PRODUCER, Role.CONSUMER)


def main() -> None:
    """Play, diagnose, compare, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broker", action="append")
    parser.add_argument("--scenario", action="append")
    parser.add_argument("--client", action="append")
    parser.add_argument("--role", action="append", choices=list(Role), type=Role)
    parser.add_argument("--keep", type=Path, help="folder for logs and results; default: none are kept")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    options.seed = 0
    every: list[Compared] = []
    with tempfile.TemporaryDirectory() as place:
        for line in options.broker or BROKERS:
            folder = (options.keep or Path(place)) / line
            folder.mkdir(parents=True, exist_ok=True)
            found = list(compared(folder, line, options))
            report(f"log of one broker, {line}", found, options)
            every += found
    if every:
        report("log of one broker", every, options)


def compared(folder: Path, line: str, options: argparse.Namespace) -> Iterator[Compared]:
    """Play the trials of one line, and yield each with what is said of it."""
    asked = RunSelection(
        clients=options.client or CLIENTS,
        scenarios=options.scenario or SCENARIOS,
        roles=options.role or ROLES,
        engine=Engine.KAFKA,
        brokers=[line],
        profiles=["isolated"],
    )
    run_id, ahead = played(folder, asked)
    rows = {(row.cell, row.trial): row for row in store.trials(str(folder)) if row.run_id == run_id}
    for history in store.histories(str(folder), run_id):
        row = rows[history.header.cell, history.header.trial]
        if row.verdict.outcome not in LEFT_OUT and not row.shortened:
            yield _one(folder, row, history, ahead)


def played(folder: Path, asked: RunSelection) -> tuple[str, int]:
    """Play trials on brokers with request logs. Return the run, and what makes its clock the time since 1970."""
    plan, selection = asked.whole()
    engine = _logging_engine(plan, folder)
    bound, absent = get_clients(selection.clients, say)
    ready = PreparedRun(RealBrokers(engine), bound, absent)
    with RunStore.create(str(folder), command=[], seed=selection.seed, versions=description(engine)) as kept:
        execute(plan, ready, Options(plain_names=True, repeat_budget_s=0.0), str(folder), kept, {})
    return kept.run_id, time.time_ns() // 1000 - now_us()


def _logging_engine(plan: Plan, folder: Path) -> Kafka:
    found = kafka_engine(exact_versions(plan), say)
    logging = partial(write_request_logging, folder, "DEBUG")
    for line, one in found.releases.items():
        zoned = (*one.options, f"-Duser.timezone={ZONE}")
        found.releases = {**found.releases, line: replace(one, options=zoned, broker_logging=logging)}
    return found


def _one(folder: Path, row: TrialRow, history: History, ahead: int) -> Compared:
    """Return what is said of a trial by the log of the broker that fails."""
    subject, play = history.header.subject, history.header.play
    until = find_timeline(history.header, EventIndex(history.events)).until + ahead
    right = right_for(row, play.expects, closes=play.closes)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "kafka-request.log"
        path.write_text("".join(_lines(folder.glob(f"*-{subject.old}.log*"), subject.client_id, until)))
        if not path.stat().st_size:
            return Compared(row, right, None)
        found = diagnose_files([str(path)], lambda *_: None, 0, LogZone(ZoneInfo(ZONE), ZoneBy.OPTION))
        return Compared(row, right, client_of(found, history))


def _lines(logs: Iterable[Path], client_id: str, until: int) -> Iterator[str]:
    """Yield the lines of a client up to a time, and the last one of the broker by then: so far the log goes."""
    zone, last, end = ZoneInfo(ZONE), "", 0
    for log in logs:
        with log.open(encoding="utf-8", errors="replace") as text:
            for line in text:
                at = time_of(line, zone)
                if not 0 < at <= until:
                    continue
                if client_id in line:
                    yield line
                if at >= end:
                    last, end = line, at
    if client_id not in last:
        yield last


if __name__ == "__main__":
    main()
