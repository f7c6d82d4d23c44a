"""Play a schedule's year in a day: run, matrix and site, retention, in rounds whose clock is days apart.

    python benchmarks/year.py N [--seed 1] [--state FOLDER] [--resume] [--seconds S] [--publish-every K] [--report]

N rounds make a year. Each runs franz-go in disk/storage-error as producer (embedded engine) with a short budget; each
K-th builds matrix and site, and then runs older than 10 days are removed. Releases appear in the first 18 days;
the conditions get a new number three times; four times an older program runs a round, and stored trials are judged
again (tests/support/year/plan.py). Disk, memory and time of each round are written to `rounds.tsv` in the state folder,
and `--resume` goes on behind the last one. Each 50th round a browser opens the site. Go programs have the machine's
clock, all others are moved by a preloaded library, so a C compiler is needed. `--report` plays nothing: it prints a
table and writes `year.svg`. Exit code 1 if a round had an error, an outcome changed, or the browser found something.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.cli.wiring.catalogue import families
from probe.toolchain.tools import cache_root
from tests.support.year.plan import FAMILY, Year
from tests.support.year.round import Row, Schedule, played

ROWS = "rounds.tsv"
SETTINGS = "year.json"


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Play the rounds, or report them; return the exit code."""
    arguments = _arguments()
    state = Path(arguments.state or cache_root() / "year").absolute()
    state.mkdir(parents=True, exist_ok=True)
    log = state / ROWS
    if not (arguments.resume or arguments.report) and log.exists():
        raise SystemExit(f"{log} is there; go on with --resume, or name another folder with --state")
    if arguments.resume or arguments.report:
        vars(arguments).update(json.loads((state / SETTINGS).read_text()))
    else:
        kept = {name: getattr(arguments, name) for name in ("rounds", "seed", "publish_every", "budget")}
        (state / SETTINGS).write_text(json.dumps(kept))
    releases = [one.version for one in families()[FAMILY].versions]
    year = Year(arguments.rounds, releases, arguments.publish_every)
    rows = _read(log)
    if not arguments.report:
        os.chdir(Path(__file__).resolve().parents[1])  # where commands find the program of other numbers
        _play(year, rows, state, arguments)
    say(f"{len(rows)} of {year.rounds} rounds; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    from tests.support.year.report import picture, table  # noqa: PLC0415  # see `measured`: this process stays small

    for line in table(rows, year.settled_from):
        say(line)
    (state / "year.svg").write_text(picture(rows, year.settled_from))
    wrong = [row for row in rows if row["problems"]]
    for row in wrong:
        say(f"round {row['round']}: {row['problems']}")
    return int(bool(wrong))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", type=int, nargs="?", default=300, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", metavar="FOLDER", help="default: `year` in the cache")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no round after this time")
    parser.add_argument("--budget", type=float, default=30.0, help="shortest budget of a run, in seconds")
    parser.add_argument("--publish-every", type=int, default=1, metavar="K")
    parser.add_argument("--pages", type=int, default=80, help="pages that the browser opens at most")
    parser.add_argument("--resume", action="store_true", help="go on behind the rounds that are stored")
    parser.add_argument("--report", action="store_true", help="play nothing")
    return parser.parse_args()


def _read(log: Path) -> list[Row]:
    if not log.exists():
        return []
    with log.open(newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["problems"] is not None]


def _play(year: Year, rows: list[Row], state: Path, arguments: argparse.Namespace) -> None:
    """Play rounds behind those that are stored, and add their rows."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the command that runs is ended, too
    schedule = Schedule(state, arguments.seed, arguments.budget, arguments.pages, arguments.budget)
    schedule.prepare(year.releases)
    known = state / "outcomes.json"
    outcomes = json.loads(known.read_text()) if rows and known.exists() else {}
    end = time.monotonic() + arguments.seconds
    for number in range(len(rows), year.rounds):
        if time.monotonic() > end:
            break
        row, outcomes = played(schedule, year.planned(number), outcomes)
        known.write_text(json.dumps(outcomes, indent=1))
        with (state / ROWS).open("a", newline="") as file:
            writer = csv.DictWriter(file, list(row), delimiter="\t", lineterminator="\n")
            if not rows:
                writer.writeheader()
            writer.writerow(row)
        rows.append(row)
        took = {part: row[f"{part}_wall_s"] for part in ("run", "judge", "publish", "prune") if row[f"{part}_wall_s"]}
        say(f"round {number}, day {row['day']}: {row['cells']} cells, {took}, {row['problems']}")


if __name__ == "__main__":
    sys.exit(main())
