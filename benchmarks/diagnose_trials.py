"""Agreement of `probe diagnose` with the verdicts of stored trials.

    python benchmarks/diagnose_trials.py RESULTS [--form FORM ...] [--seed 13] [--trials 300] [--outcome OUTCOME ...]
                                         [--events] [--list]

Trials are drawn from those with a stored capture (`probe run --capture`) whose fault reached the client. A capture is
cut at the end of the trial's window and read as the command reads a file, and the status of the trial's client is
compared with the trial's own verdict, by today's rules. `--events` reads stored wire events in place of captures, of
any run, and does not know libraries.

| form | what is read |
|---|---|
| `whole` | all brokers, from the client's start to the end of the window |
| `one-broker` | the port of the broker that fails |
| `window` | the time between two moments that the seed draws, at least five seconds apart |
| `log-in` | `whole`, with the frames of a log-in (SASL) written at the beginning of each connection |

| the trial | right is |
|---|---|
| outcome `storms` | storms |
| recovered, whatever its outcome, or nothing to recover from | recovered or healthy |
| `stuck`, and not recovered | stuck |
| a storm beside a worse outcome | also storms |
| recovered after nine seconds or more, or ended by another outcome than `stuck` | also was stuck |
| not recovered by another outcome (`fatal`, `waiting`, `surfaces`, ...), or the client was closed | stuck or unknown |
| a part that ends before the fault reached the client | recovered or healthy |
| a part that ends before it had recovered | any of stuck, unknown, recovered, healthy |

A `stuck` trial in which an error had to reach the application counts by whether the client recovered: what reaches the
application is not on the wire.
"""

# ruff: noqa: T201  # the figures are the output of this command

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from diagnose_forms import at_port, between, with_log_ins
from diagnose_truth import LEFT_OUT, WORKS, right_for, right_within

from probe import store
from probe.cli.wiring.diagnosis import UNKNOWN_BACK_OFF_MS, diagnose_files
from probe.diagnose.analysis import analyse
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import ClientFinding, Status
from probe.diagnose.input.file_set import open_inputs
from probe.diagnose.stored_trials import TrialInput
from probe.model import Cell, History, Request
from probe.store import TrialRow
from probe.store.captures import capture_name, captured_names
from probe.verdict import judge
from tests.support.stored_captures import write_window

SHORTEST_US = 5_000_000
SAME_US = 100
"""Difference of two clocks' times of one request."""


class Form(StrEnum):
    """The part of a trial that is read."""

    WHOLE = "whole"
    ONE_BROKER = "one-broker"
    WINDOW = "window"
    LOG_IN = "log-in"
    EVENTS = "events"


@dataclass(frozen=True, slots=True)
class Compared:
    """One trial with both statements."""

    row: TrialRow
    right: frozenset[Status]
    found: ClientFinding | None

    @property
    def status(self) -> Status:
        """The status of the trial's client."""
        return Status.UNKNOWN if self.found is None else self.found.status

    @property
    def opposite(self) -> bool:
        """Whether stuck was said of a client that recovered, or the other way round."""
        right = self.right - {Status.STORMS}
        was_stuck = right == {Status.STUCK}
        accused = self.status in {Status.STUCK, Status.WAS_STUCK}
        return was_stuck if self.status in WORKS else accused and bool(right) and right <= WORKS


def drawn(results: str, options: argparse.Namespace) -> list[TrialRow]:
    """Return the drawn trials: of all that can be read, or of those with some outcomes."""
    rows = [row for row in store.trials(results) if row.verdict.outcome not in LEFT_OUT and not row.shortened]
    if not options.events:
        names = {run_id: captured_names(results, run_id) for run_id in {row.run_id for row in rows}}
        rows = [row for row in rows if capture_name(row.cell, row.trial) in names[row.run_id]]
    rows = [row for row in rows if not options.outcome or row.verdict.outcome in options.outcome]
    rows.sort(key=lambda row: (row.run_id, str(row.cell), row.trial))
    return random.Random(options.seed).sample(rows, min(options.trials, len(rows)))  # noqa: S311  # no secret


def compared(results: str, rows: list[TrialRow], form: Form, seed: int) -> Iterator[Compared]:
    """Yield the drawn trials with what is said of them."""
    by_run: dict[str, dict[tuple[Cell, int], TrialRow]] = defaultdict(dict)
    for row in rows:
        by_run[row.run_id][row.cell, row.trial] = row
    for run_id, wanted in by_run.items():
        for history in store.histories(results, run_id, set(wanted)):
            row = replace(wanted[history.header.cell, history.header.trial], verdict=judge(history))
            if form is Form.EVENTS:
                play = history.header.play
                right = right_for(row.verdict, play.expects, closes=play.closes)
                yield Compared(row, right, client_of(of_events(history), history))
            else:
                yield of_capture(results, row, history, form, seed)


def of_capture(results: str, row: TrialRow, history: History, form: Form, seed: int) -> Compared:
    """Return what the command says of a form of a trial's capture."""
    capture = store.read_capture(results, row.run_id, row.cell, row.trial)
    assert capture is not None, row
    play = history.header.play
    right = right_for(row.verdict, play.expects, closes=play.closes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trial.pcapng"
        until = write_window(capture, history, path)
        data = path.read_bytes()
        if form is Form.WINDOW:
            begin, ahead, _ = _known(path, history)
            drawn_from = random.Random(f"{seed} {row.run_id} {row.cell} {row.trial}")  # noqa: S311  # no secret
            first = round(drawn_from.uniform(begin, max(begin, until - SHORTEST_US)))
            last = round(drawn_from.uniform(min(until, first + SHORTEST_US), until))
            path.write_bytes(between(data, first, last))
            right = right_within(row.verdict, history, first - ahead, last - ahead)
        elif form is Form.ONE_BROKER:
            ports = _known(path, history)[2]
            path.write_bytes(at_port(data, ports.get(history.header.subject.old, -1)))
        elif form is Form.LOG_IN:
            path.write_bytes(with_log_ins(data))
        return Compared(row, right, client_of(diagnose_files([str(path)], lambda *_: None, 0), history))


def _known(path: Path, history: History) -> tuple[int, int, dict[int, int]]:
    """Return when a capture begins, by how much its clock is ahead, and the port of each node (microseconds)."""
    sent: dict[tuple[str, int, int], list[Request]] = defaultdict(list)
    for one in history.events:
        if isinstance(one, Request):
            sent[one.client_id, one.api, one.corr].append(one)
    begin, ahead, ports = 0, 0, dict[int, int]()
    with open_inputs([str(path)]) as found:
        for event in found.events():
            begin = begin or event.at
            alike = sent.get((event.client_id, event.api, event.corr), ()) if isinstance(event, Request) else ()
            for one in alike:  # a client may count the requests of each connection
                ahead = ahead or event.at - one.at
                if abs(event.at - one.at - ahead) < SAME_US:
                    ports[one.broker] = int(found.connections[event.conn].broker_address.rpartition(":")[2])
    return begin, ahead, ports


def of_events(history: History) -> Diagnosis:
    """Return what is said of a trial's wire events."""
    return analyse(TrialInput(history), whose=lambda *_: None, back_off_ms=lambda _: UNKNOWN_BACK_OFF_MS)


def client_of(found: Diagnosis, history: History) -> ClientFinding | None:
    """Return what is said of a trial's client."""
    mine = history.header.subject.client_id
    beside = history.header.subject.bystander_instance
    ours = [one for one in found.clients if one.key.client_id.startswith(mine) and one.key.client_id != beside]
    return ours[0] if ours else None


def main() -> None:
    """Print the figures of each form, and with `--list` the trials that disagree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--form", action="append", choices=[*Form], type=Form)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--outcome", action="append", default=[])
    parser.add_argument("--events", action="store_true", help="the same as --form events")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    forms = [Form.EVENTS] if options.events else options.form or [Form.WHOLE]
    options.events = Form.EVENTS in forms
    rows = drawn(options.results, options)
    for form in forms:
        report(form, list(compared(options.results, rows, form, options.seed)), options)


def report(form: str, all_of: list[Compared], options: argparse.Namespace) -> None:
    """Print the figures of one form; `options` has the seed, and whether to list those that disagree."""
    named = [one for one in all_of if one.status is not Status.UNKNOWN]
    right = [one for one in named if one.status in one.right]
    opposite = [one for one in all_of if one.opposite]
    print(f"{form}: {len(all_of)} trials, seed {options.seed}: {len(named)} named, {len(right)} of them right "
          f"({len(right) / max(1, len(named)):.1%}); unknown {1 - len(named) / max(1, len(all_of)):.1%}; "
          f"opposite {len(opposite)}")  # fmt: skip
    for (status, wanted), count in sorted(Counter((one.status, "/".join(sorted(one.right))) for one in all_of).items()):
        print(f"  {count:5} said {status}, right is {wanted}")
    if options.list:
        for one in all_of:
            if one.status not in one.right or one.status is Status.UNKNOWN:
                _print(one)


def _print(one: Compared) -> None:
    worst = one.found.worst if one.found is not None else None
    about = f"{worst.item}: {worst.reason} {worst.storm}" if worst is not None else "nothing"
    mark = "OPPOSITE" if one.opposite else "wrong" if one.status not in one.right else "unknown"
    print(f"{mark}: said {one.status} ({about}); {one.row.verdict.outcome} recovered={one.row.verdict.facts.recovered} "
          f"{one.row.cell} trial {one.row.trial} run {one.row.run_id}: {one.row.verdict.reason[:160]}")  # fmt: skip


if __name__ == "__main__":
    main()
