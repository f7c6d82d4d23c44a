"""Agreement of `probe diagnose` with the verdicts of trials whose input is one real broker's request log.

    python benchmarks/diagnose_logs.py [--broker 2.6 ...] [--scenario S ...] [--client C ...] [--role R ...] [--list]
    python benchmarks/diagnose_logs.py --keep FOLDER --again

Trials are played on real brokers that write request logs at DEBUG. Of each trial with a fault the lines of the broker
that fails are read, those of the trial's own client up to the end of its window, and what is said is compared with its
verdict, as `diagnose_trials.py` does with captures. `--again` plays nothing, and reads what FOLDER holds of runs since
the machine's last start, those that were interrupted, too.
"""

# the figures are the output of this command

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from operator import itemgetter
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
from probe.model import CONTROL, Engine, History, Role
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
    parser.add_argument("--again", action="store_true", help="read the kept logs and results once more")
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
    run_ids = [one.run_id for one in store.runs(str(folder))] if options.again else [played(folder, asked)]
    ahead = (
        time.time_ns() // 1000 - now_us()
    )  # makes the runs' clock, which counts from the machine's start, that of the logs
    for run_id in run_ids:
        rows = {(row.cell, row.trial): row for row in store.trials(str(folder)) if row.run_id == run_id}
        for history in store.histories(str(folder), run_id):
            row = rows[history.header.cell, history.header.trial]
            if row.cell.scenario != CONTROL and row.verdict.outcome not in LEFT_OUT and not row.shortened:
                yield _one(folder, row, history, ahead)


def played(folder: Path, asked: RunSelection) -> str:
    """Play trials on brokers with request logs, and return the run."""
    plan, selection = asked.whole()
    engine = _logging_engine(plan, folder)
    bound, absent = get_clients(selection.clients, say)
    ready = PreparedRun(RealBrokers(engine), bound, absent)
    with RunStore.create(str(folder), command=[], seed=selection.seed, versions=description(engine)) as kept:
        execute(plan, ready, Options(plain_names=True, repeat_budget_s=0.0), str(folder), kept, {})
    return kept.run_id


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
    since = history.events[0].at + ahead
    until = find_timeline(history.header, EventIndex(history.events)).until + ahead
    right = right_for(row.verdict, play.expects, closes=play.closes)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "kafka-request.log"
        lines = _lines(_log(folder, subject.old), subject.client_id, since, until)
        path.write_text("".join(lines))
        if not path.stat().st_size:
            return Compared(row, right, None)
        found = diagnose_files([str(path)], lambda *_: None, 0, LogZone(ZoneInfo(ZONE), ZoneBy.OPTION))
        return Compared(row, right, client_of(found, history))


@cache
def _log(folder: Path, node: int) -> list[tuple[int, str]]:
    """Return the lines of a broker's logs with their times in microseconds since 1970, in order."""
    zone, found = ZoneInfo(ZONE), list[tuple[int, str]]()
    for path in folder.glob(f"*-{node}.log*"):
        with path.open(encoding="utf-8", errors="replace") as text:
            found += [(time_of(line, zone), line) for line in text]
    return sorted((item for item in found if item[0] > 0), key=itemgetter(0))


def _lines(log: Sequence[tuple[int, str]], client_id: str, since: int, until: int) -> Iterator[str]:
    """Yield the lines of a client in a span, and the last one of the broker in it: so far the log goes.

    What is older may be of an earlier try of the same trial, in another cluster.
    """
    first, last = (bisect_right(log, at, key=itemgetter(0)) for at in (since, until))
    shown = log[first:last]
    yield from (line for _, line in shown if client_id in line)
    if shown and client_id not in shown[-1][1]:
        yield shown[-1][1]


if __name__ == "__main__":
    main()
