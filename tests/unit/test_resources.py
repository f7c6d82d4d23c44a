"""An exhausted resource of the machine ends a run with one line and is no outcome of a client."""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest

from probe.cli import app as command
from probe.cli.wiring.run_selection import RunSelection
from probe.cli.wiring.signals import restored_handlers
from probe.errors import DriverLostError, EngineError, ExhaustedError, ProbeError
from probe.model import Cell, History, Role, Verdict
from probe.planning.plan import Plan
from probe.ports import CohortLoad
from probe.processes.resources import exhaustion, no_process, said_exhaustion, translated, translating
from probe.runner import Options
from probe.runner.schedule import attempts, cohorts, pool
from probe.runner.schedule.adaptive_limit import no_machine
from probe.runner.schedule.cohorts import drain_in_cohorts
from probe.runner.schedule.descriptors import DRIVER, OWN, TRIAL, within, within_cohorts
from probe.runner.schedule.memory import cohort_fits, within_memory
from probe.runner.trial.setup import make_header
from probe.store import ResultsError, trials, writer
from tests.support.deadlines import LONGEST_S
from tests.support.synthetic_rows import CELL, create, history, verdict

FULL = OSError(errno.ENOSPC, "No space left on device", "/results/x")


def caused(by: Exception) -> Exception:
    """Return an engine error that hides its cause, as `from None` does."""
    error = EngineError("it did not start")
    error.__context__, error.__suppress_context__ = by, True
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FULL, "the disk is full (/results/x); free some room"),
        (OSError(errno.EDQUOT, "quota"), "the disk is full"),
        (OSError(errno.EMFILE, "many"), "too many files are open; raise `ulimit -n`"),
        (OSError(errno.ENFILE, "many"), "too many files are open"),
        (OSError(errno.ENOMEM, "memory"), "too little memory"),
        (MemoryError(), "too little memory"),
        (RuntimeError("can't start new thread"), "no further process or thread"),
        (caused(OSError(errno.EMFILE, "many")), "too many files are open"),
        (ExceptionGroup("two", [ValueError("odd"), caused(FULL)]), "the disk is full"),
    ],
)
def test_a_system_error_names_the_exhausted_resource(error: Exception, words: str) -> None:
    found = exhaustion(error)
    assert found is not None
    assert str(found).startswith(words) or words in str(found)
    assert found.exit_code == 3


@pytest.mark.parametrize(
    "error",
    [
        None,
        TimeoutError("late"),
        ConnectionRefusedError(errno.ECONNREFUSED, "refused"),
        BlockingIOError(errno.EAGAIN, "again"),
        OSError(errno.EROFS, "read-only"),
        EngineError("the logs do not agree"),
        RuntimeError("odd"),
    ],
)
def test_other_errors_are_no_exhaustion(error: Exception | None) -> None:
    assert exhaustion(error) is None


def test_a_failed_fork_names_the_process_limit() -> None:
    found = no_process(BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"))
    assert isinstance(found, ExhaustedError)
    assert "ulimit -u" in str(found)
    missing = FileNotFoundError(errno.ENOENT, "no such program")
    assert no_process(missing) is missing


def test_exhaustion_is_recognized_in_the_output_of_a_child() -> None:
    assert said_exhaustion("listen tcp 127.0.0.1:0: socket: too many open files") is not None
    assert said_exhaustion("panic: index out of range") is None


def test_system_errors_become_errors_of_their_component() -> None:
    @translating(EngineError)
    async def ask(error: Exception) -> None:
        raise error

    with pytest.raises(EngineError, match="refused"):
        asyncio.run(ask(ConnectionRefusedError("refused")))
    with pytest.raises(ExhaustedError, match="the disk is full"):
        asyncio.run(ask(FULL))
    with pytest.raises(DriverLostError), translated(EngineError):
        raise DriverLostError("gone")


def test_trials_in_flight_stay_within_the_file_limit() -> None:
    least = OWN + DRIVER + TRIAL
    assert least <= 96
    with pytest.raises(ExhaustedError, match=f"one trial needs {least} open files, and {least - 1} are allowed; raise"):
        within(Options(), least - 1, 1)
    assert within(Options(), least, 1).in_flight == 1
    assert within(Options(), least, 100).in_flight == 1, "drivers of other versions need files, too"
    plenty = within(Options(), 1 << 20, 10)
    assert plenty.jobs is None, "nothing but the machine limits them"
    assert within(Options(jobs=30), 1 << 20, 10).jobs == 30
    assert within(Options(jobs=30), least, 1).jobs == 1
    assert plenty.in_flight is not None
    assert plenty.in_flight > 1000


@pytest.mark.parametrize("limit", [200, 256, 1024, 4096, 1 << 20])
def test_cohorts_stay_within_the_file_limit(limit: int) -> None:
    options, clusters = within_cohorts(Options(jobs=64), limit, 2, 8)
    assert clusters >= 1
    assert options.jobs is not None
    assert 1 <= options.jobs <= 64
    assert OWN + 2 * DRIVER + clusters * (80 + 40 * options.jobs) <= max(limit, 200)


def test_a_fixed_number_beyond_the_file_limit_is_refused() -> None:
    assert within(Options(exactly=4), OWN + DRIVER + 4 * TRIAL, 1).exactly == 4
    with pytest.raises(ExhaustedError, match=r"--exactly 5: .* open files allow 4; raise"):
        within(Options(exactly=5), OWN + DRIVER + 4 * TRIAL, 1)


def test_cohorts_stay_within_memory() -> None:
    wanted = Options(jobs=64)
    assert within_memory(wanted, None, 4) == wanted
    assert within_memory(wanted, 24_000, 4) == wanted
    small = within_memory(wanted, 2000, 1).jobs
    assert small is not None
    assert 8 <= small <= 40
    assert within_memory(wanted, 300, 1).jobs == 1, "one cell is tried"
    assert within_memory(Options(), 2000, 1).expected_jobs == small, "also without --jobs"
    assert cohort_fits(None, 64)
    assert not cohort_fits(1000, 10)
    assert cohort_fits(4000, 64)


def test_a_limit_too_low_for_a_cohort_names_the_number() -> None:
    with pytest.raises(ExhaustedError, match=r"one trial needs 166 open files, and 96 are allowed"):
        within_cohorts(Options(), 96, 1, 4)


class Memory:
    """A store in memory that can report a full disk."""

    def __init__(self) -> None:
        self.exhausted: ExhaustedError | None = None
        self.kept: list[Cell] = []

    def add(self, history: History, _: Verdict) -> None:
        assert not history.header.problems, "an exhausted resource is no problem of a trial"
        self.kept.append(history.header.cell)

    def has(self, cell: Cell, _: int) -> bool:
        return cell in self.kept

    def add_cohort(self, load: CohortLoad) -> None:
        pass

    def flush(self) -> None:
        pass


@pytest.fixture(scope="module")
def plan() -> Plan:
    names = ["disk/storage-error", "leader/elected", "coordinator/moved"]
    asked = RunSelection(clients=["sarama@1.43.3"], scenarios=names, roles=[Role.PRODUCER, Role.CONSUMER], seed=1)
    return asked.whole()[0]


def play(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, fails: Callable[[Any], bool], store: Memory, jobs: int
) -> list[Cell]:
    """Run a plan whose trials observe nothing or meet a full disk; return the cells of the started trials."""
    begun: list[Cell] = []

    async def trial(item: Any, number: int, tools: Any, options: Options, *_: Any, **__: Any) -> History:
        begun.append(item.cell)
        await asyncio.sleep(0.02)
        if fails(item):
            raise ExhaustedError("the disk is full")
        return History(make_header(item, number, tools, options), ())

    monkeypatch.setattr(attempts, "run_trial", trial)
    lag = SimpleNamespace(machine=no_machine)
    tools: Any = SimpleNamespace(finish=lambda _: None, lag=lag, artifacts={}, engine=None)
    asyncio.run(pool.run_plan(plan, tools, Options(jobs=jobs), store, report=lambda _: None))  # type: ignore[arg-type]  # a store without a file
    return begun


def test_a_full_disk_in_a_trial_ends_the_run(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    store, begun = Memory(), list[Cell]()

    def fails(item: Any) -> bool:
        begun.append(item.cell)
        return len(begun) == 3

    with pytest.raises(ExhaustedError, match="the disk is full"):
        play(plan, monkeypatch, fails, store, jobs=1)
    assert len(begun) <= 5, "trials in flight end, no others start"
    assert len(begun) < len(plan.cells)
    assert begun[2] not in store.kept


def test_trials_waiting_for_a_control_cell_end_with_it(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Memory()
    with pytest.raises(ExhaustedError):
        play(plan, monkeypatch, lambda item: bool(item.is_control), store, jobs=24)
    assert store.kept == []


def test_a_full_store_starts_no_further_trial(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    store, begun = Memory(), list[Cell]()

    def fails(item: Any) -> bool:
        begun.append(item.cell)
        store.exhausted = ExhaustedError("the disk is full")
        return False

    with pytest.raises(ExhaustedError, match="the disk is full"):
        play(plan, monkeypatch, fails, store, jobs=1)
    assert set(store.kept) == set(begun), "trials in flight are judged and stored"
    assert len(begun) < len(plan.cells)


def test_an_exhausted_cohort_is_no_problem_of_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    class ExhaustedEngine:
        at_once, in_silence = 1, 0

        def cohort(self, *_: object, **__: object) -> Any:
            raise ExhaustedError("too many files are open")

    asked = RunSelection(clients=["sarama@1.43.3"], scenarios=["steady"], roles=[Role.PRODUCER], engine="kafka", seed=1)  # type: ignore[arg-type]  # its name does
    (whole, _), store = asked.whole(), Memory()

    async def calm(_: float = 0) -> None: ...

    engine: Any = ExhaustedEngine()
    lag = SimpleNamespace(calm=calm, has_spare=lambda: False, machine=no_machine)
    tools: Any = SimpleNamespace(host=None, lag=lag, artifacts={}, engine=engine, access=lambda *_: None)
    with pytest.raises(ExhaustedError, match="too many files"):
        asyncio.run(
            pool.run_plan(
                whole,
                tools,
                Options(),
                store,  # type: ignore[arg-type]  # a store without a file
                report=lambda _: None,
                drain=drain_in_cohorts(engine),
            )
        )
    assert store.kept == []
    assert cohorts.ATTEMPTS == 3


def test_judged_trials_are_written_once_the_disk_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write, full = pq.write_table, True

    def try_to(*args: Any, **more: Any) -> None:
        if full:
            raise FULL
        write(*args, **more)

    monkeypatch.setattr("probe.store.files.pq.write_table", try_to)
    monkeypatch.setattr(writer, "FLUSH_S", 0.02)
    with create(tmp_path) as store:
        store.add(history(), verdict())
        deadline = time.monotonic() + LONGEST_S
        while store.exhausted is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert "the disk is full" in str(store.exhausted)
        full = False
        while store.exhausted is not None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert [row.cell for row in trials(str(tmp_path))] == [CELL]
    (line,) = [line for line in caplog.messages if "cannot be written" in line]
    assert "no further trials are started" in line


def test_the_last_write_is_retried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, left = pq.write_table, [FULL, FULL, FULL]

    def try_to(*args: Any, **more: Any) -> None:
        if left:
            raise left.pop()
        write(*args, **more)

    monkeypatch.setattr("probe.store.files.pq.write_table", try_to)
    monkeypatch.setattr(writer, "AGAIN_S", 0.01)
    with create(tmp_path) as store:
        store.add(history(), verdict())
    assert [row.cell for row in trials(str(tmp_path))] == [CELL]


def test_trials_lost_to_a_full_disk_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise FULL

    monkeypatch.setattr("probe.store.files.pq.write_table", full)
    monkeypatch.setattr(writer, "LAST_S", 0.05)
    with (
        pytest.raises(ResultsError, match=r"No space left on device; .* then repeats 1 trials"),
        create(tmp_path) as store,
    ):
        store.add(history(), verdict())


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ExhaustedError("the disk is full", "go on with --resume X"), 3),
        (MemoryError(), 3),
        (OSError(errno.EMFILE, "Too many open files"), 3),
        (RuntimeError("can't start new thread"), 3),
        (ProbeError("odd"), 2),
    ],
)
def test_a_fatal_error_ends_a_command_with_one_line(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(command, "app", fail)
    with restored_handlers(), pytest.raises(SystemExit) as caught:
        command.main()
    assert caught.value.code == code
    assert len(capsys.readouterr().err.splitlines()) == 1
