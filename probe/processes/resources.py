"""Exhausted resources of this machine: disk space, memory, open files, processes.

Exhaustion is caused neither by a client nor by one trial. No further trial is started, and the command reports it.
"""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from probe.errors import ExhaustedError, HarnessError

Args = ParamSpec("Args")
Result = TypeVar("Result")
Work = Coroutine[Any, Any, Result]

FULL, FILES, MEMORY, PROCESSES = range(4)
CODES = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EMFILE: FILES,
    errno.ENFILE: FILES,
    errno.ENOMEM: MEMORY,
}
"""Resource by error number of the system."""
PROCESS_ERRORS = frozenset({errno.EAGAIN, errno.ENOMEM})
"""Error numbers for a process that cannot be started; elsewhere EAGAIN is harmless."""
WORDS = {
    os.strerror(errno.ENOSPC).lower(): FULL,
    os.strerror(errno.EDQUOT).lower(): FULL,
    os.strerror(errno.EMFILE).lower(): FILES,
    os.strerror(errno.ENFILE).lower(): FILES,
    os.strerror(errno.ENOMEM).lower(): MEMORY,
    "can't start new thread": PROCESSES,
    "failed to create new os thread": PROCESSES,
    "newosproc": PROCESSES,
    "unable to create native thread": PROCESSES,
    "runtime: cannot allocate memory": MEMORY,
    "fatal error: out of memory": MEMORY,
    "insufficient memory for the java runtime": MEMORY,
}
"""The same as texts of child processes and libraries, which pass on no number."""
ADVICE = {
    FULL: ("the disk is full", "free some room"),
    FILES: ("too many files are open", "raise `ulimit -n`, or give fewer --jobs"),
    MEMORY: ("there is too little memory", "free some, or give fewer --jobs"),
    PROCESSES: ("no further process or thread can be started", "raise `ulimit -u`, or give fewer --jobs"),
}
"""The thing that is missing, and the way out."""
CHILD_FILES = 16_384
"""Limit of open files of a child process. Some programs close every number up to their limit when they start others, so
a limit of a million is not passed on. A broker with hundreds of logs needs 2,000."""


def exhaustion(error: BaseException | None) -> ExhaustedError | None:
    """Return the exhaustion that caused an error; None if it has another cause.

    The causes of the error and the members of a group are checked, too.
    """
    for one in _all_behind(error):
        if isinstance(one, ExhaustedError):
            return one
        if (kind := _kind(one)) is not None:
            what, way_out = ADVICE[kind]
            return ExhaustedError(f"{what}{_place(one)}; {way_out}")
    return None


def said_exhaustion(text: str) -> ExhaustedError | None:
    """Return the exhaustion that the output of a child process or a library names; None if it names none."""
    kind = next((kind for words, kind in WORDS.items() if words in text.lower()), None)
    if kind is None:
        return None
    what, way_out = ADVICE[kind]
    return ExhaustedError(f"{what} ({' '.join(text.split())[:200]}); {way_out}")


def no_process(error: OSError) -> OSError | ExhaustedError:
    """Return the error to raise after a failed start of a process."""
    if error.errno not in PROCESS_ERRORS:
        return error
    what, way_out = ADVICE[PROCESSES]
    return ExhaustedError(f"{what}: {os.strerror(error.errno or 0)}; {way_out}")


@contextmanager
def translated(kind: type[HarnessError]) -> Iterator[None]:
    """Turn errors of the system inside the block into the error `kind`, or into ExhaustedError."""
    try:
        yield
    except (OSError, MemoryError) as error:
        if (own := exhaustion(error)) is not None:
            raise own from error
        raise kind(str(error) or f"{type(error).__name__} without a reason") from error


def translating(
    kind: type[HarnessError],
) -> Callable[[Callable[Args, Work[Result]]], Callable[Args, Work[Result]]]:
    """Return a decorator that applies `translated` to a coroutine function."""

    def decorate(function: Callable[Args, Work[Result]]) -> Callable[Args, Work[Result]]:
        @wraps(function)
        async def inside(*args: Args.args, **kwargs: Args.kwargs) -> Result:
            with translated(kind):
                return await function(*args, **kwargs)

        return inside

    return decorate


def raise_file_limit() -> int:
    """Raise this process's limit of open files as far as allowed, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError):  # some sandboxes refuse it
            return soft
    return hard


def limit_child(process: int) -> None:
    """Limit the open files of a child process to `CHILD_FILES`."""
    if not hasattr(resource, "prlimit"):
        return
    try:
        _, hard = resource.prlimit(process, resource.RLIMIT_NOFILE)
        resource.prlimit(process, resource.RLIMIT_NOFILE, (_at_most(CHILD_FILES, hard), hard))
    except (OSError, ValueError):  # the process has ended, or its id has been reused
        return


def file_limit() -> int:
    """Return the limit of this process's open files; 2^30 if there is no limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _at_most(1 << 30, soft)


def thread_limit() -> int:
    """Return the limit of threads of this user's processes together; 2^30 if there is no limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    return _at_most(1 << 30, soft)


def _at_most(most: int, limit: int) -> int:
    return most if limit == resource.RLIM_INFINITY else min(most, limit)


def _kind(error: BaseException) -> int | None:
    if isinstance(error, MemoryError):
        return MEMORY
    if isinstance(error, OSError):
        return CODES.get(error.errno or 0)
    if isinstance(error, RuntimeError):
        return next((kind for words, kind in WORDS.items() if words in str(error).lower()), None)
    return None


def _place(error: BaseException) -> str:
    name = getattr(error, "filename", None)
    return f" ({name})" if name else ""


def _all_behind(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, the members of a group, and all of their causes."""
    left, seen = [error], set[int]()
    while left:
        one = left.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            left.extend(one.exceptions)
        left += [one.__cause__, one.__context__]
