"""Sentences, numbers and commands for the pages (pure)."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping

from probe.model import AfterHeal, Cell, Outcome, Profile, Rescuer, Trigger, Workload
from probe.model.counts import counted
from probe.model.outcomes import NO_ANSWER, OUTCOMES, WELL, Number
from probe.model.roles import ROLES
from probe.protocol.names import error_name
from probe.site.data.cell_answer import Answered
from probe.site.data.matrix_rows import MatrixRow

WORKLOADS = {
    Workload.CONTINUOUS: "",
    Workload.PIPELINED: " with bursts of many records",
    Workload.KEYED: " with keyed records",
}
"""The work of the application, where it is not as usual."""
TRIGGER_PHRASES: Mapping[str, str] = {
    Trigger.ERROR: "It asked for the leader or coordinator {after}because of the error.",
    Trigger.DISCONNECT: (
        "It asked for the leader or coordinator {after}because a connection was lost or a request timed out."
    ),
    Trigger.CONNECT: (
        "It asked for the leader or coordinator only because it opened a connection {after}(it asks on every connect)."
    ),
    Trigger.PERIODIC: "It asked for the leader or coordinator only because its periodic refresh was due {after}.",
    Trigger.BOOTSTRAP: (
        "It asked for the leader or coordinator {after}at a bootstrap address, after giving up the brokers it knew."
    ),
    Trigger.UNKNOWN: "It asked for the leader or coordinator {after}for an unknown reason.",
    Trigger.NONE: "It never asked for the leader or coordinator.",
}
"""Sentence per trigger of the first discovery after the first hit (docs/verdicts.md)."""
RESCUED: Mapping[str, str] = {
    Rescuer.RETRY: " Retries without a discovery reached the right broker.",
    Rescuer.CONNECT: " A new connection reached the right broker.",
    Rescuer.PERIODIC: " Its periodic refresh found the right broker.",
    Rescuer.BOOTSTRAP: " Its bootstrap addresses led to the right broker.",
    Rescuer.UNKNOWN: " How it found the right broker is unknown.",
    Rescuer.ITSELF: " It found the right broker by itself, but slowly.",
}
"""Sentence per event by which a late client found the right broker."""


def duration(ms: float | None) -> str:
    """Return milliseconds as text: `250 ms`, `3.1 s`, `2 min 5 s`; empty for None."""
    if ms is None:
        return ""
    if ms < 1000:
        return f"{ms:.0f} ms"
    if ms < 120_000:
        return f"{ms / 1000:.1f} s"
    return f"{ms // 60_000:.0f} min {ms % 60_000 / 1000:.0f} s"


def codes(text: str) -> str:
    """Return the codes of `fault_codes` with their names: `KAFKA_STORAGE_ERROR (56)`."""
    return ", ".join(
        f"{error_name(int(code))} ({code})" if code.lstrip("-").isdigit() else code for code in text.split(";") if code
    )


def hint(row: MatrixRow) -> str:
    """Return the number in a cell of the matrix, with its unit; may be empty."""
    number = OUTCOMES[row.outcome].number
    if number is Number.TRIALS:
        return often(row)
    if number is Number.WATCHED:
        watched = row.number("watched_ms")
        return f"> {duration(watched)}" if watched else ""
    if number is Number.RECORDS:
        counts = ((row.number(name), word) for name, word in LOSSES)
        return next((f"{count:.0f} {word}" for count, word in counts if count), "")
    recovery = duration(row.number("recovery_ms_p50"))
    errors = row.number("errors_surfaced")
    plain = recovery or (f"{errors:.0f} errors" if errors else "")
    return ", ".join(filter(None, [plain, f"{row.lost} lost" if row.lost else ""]))


LOSSES = (
    ("lost", "lost"),
    ("duplicated", "duplicated"),
    ("reordered", "reordered"),
    ("position_jump_max", "skipped"),
    ("unresolved", "without an outcome"),
    ("phantom", "sent by nobody"),
)


def summary(row: MatrixRow) -> str:
    """Return one sentence about what the client did."""
    cell = row.cell
    counts = f": {_every(row)}. The worst trial decides the judgement" if len(row.votes) > 1 else f", in {trials(row)}"
    does = f"{ROLES[cell.role].phrase}{WORKLOADS[cell.workload]}, {OUTCOMES[row.outcome].phrase}{counts}"
    return f"{cell.family} {cell.version}, {does}."


def harmful(row: MatrixRow) -> str:
    """Return what the gravest trial costs a service, and what helps, as sentences; empty where nothing is known."""
    if not row.harm:
        return ""
    helps = {"yes": " A restart under the fault helps.", "no": " A restart under the fault does not help."}
    mended = f" In profile {row.values['mended_by']} this version passes." if row.values["mended_by"] else ""
    return f"{row.harm_words}.{helps.get(row.values['restart_helps'], '')}{mended}"


def often(row: Answered) -> str:
    """Return how often the worst outcome came: `storms in 3 of 20`; empty where trials agree."""
    votes = row.votes
    return f"{OUTCOMES[row.worst].label} in {votes[row.worst]} of {sum(votes.values())}" if len(votes) > 1 else ""


def trials(row: Answered) -> str:
    """Return the number of trials that an answer rests on: `1 trial`."""
    return counted(sum(row.votes.values()), "trial")


def _every(row: MatrixRow) -> str:
    """Return how often each outcome came, the worst first."""
    others = (f", {OUTCOMES[one].label} in {count}" for one, count in row.votes.items() if one is not row.worst)
    return f"{often(row)} trials{''.join(others)}"


def details(row: MatrixRow) -> list[str]:
    """Return a few sentences from the facts that apply."""
    sentences = [sentence for phrase in PHRASES if (sentence := phrase(row))]
    if row.outcome is Outcome.FLAKY and sentences:
        agreeing, trials = row.values["agreeing"], row.values["trials"]
        lead = f"In one of {trials} trials:" if agreeing == "1" else f"In the {agreeing} of {trials} trials that agree:"
        sentences.insert(0, lead)
    return sentences


def brief(row: MatrixRow) -> str:
    """Return a sentence or two about a cell, for a table whose other columns name the rest."""
    reason = row.values["reason"]
    if row.outcome in NO_ANSWER:
        return reason or OUTCOMES[row.outcome].explanation
    sentences = [sentence for phrase in PHRASES[1:] if (sentence := phrase(row))]
    return " ".join(sentences) or OUTCOMES[row.outcome].explanation


def recovery(row: MatrixRow) -> str:
    """Return the time after which a client worked again; without recovery, the time for which it was observed."""
    if row.values["recovered"] == "false":
        watched = row.number("watched_ms")
        return f"> {duration(watched)}" if watched else "never"
    return duration(row.number("recovery_ms_p50"))


def _fault_met(row: MatrixRow) -> str:
    hits, names = row.number("fault_hits"), codes(row.values["fault_codes"])
    if not hits:
        return ""
    times = "once" if hits == 1 else f"at least {hits:.0f} times"
    each = "" if row.values["agreeing"] == "1" else " in every trial"
    return f"It met {names or 'the fault'} {times}{each}."


def _trigger(row: MatrixRow) -> str:
    after = duration(row.number("refresh_ms_p50"))
    return TRIGGER_PHRASES.get(row.values["refresh_trigger"], "").format(
        after=f"{after} after the first hit, " if after else ""
    )


def _storm(row: MatrixRow) -> str:
    most = row.number("refreshes_max")
    return f"It asked up to {most:.0f} times in one trial." if row.values["storm"] and most else ""


def _recovered(row: MatrixRow) -> str:
    recovery = row.number("recovery_ms_p50")
    if row.values["recovered"] == "false":
        healed = row.values["after_heal"]
        after: Mapping[str, str] = {
            AfterHeal.RECOVERED: " It recovered after the fault was reverted.",
            AfterHeal.STUCK: " It did not recover after the fault was reverted either.",
        }
        return f"Within {duration(row.number('watched_ms'))} it did not recover.{after.get(healed, '')}"
    by = RESCUED.get(row.values["rescued_by"], "")
    return f"It worked again {duration(recovery)} after recovery was possible.{by}" if recovery is not None else ""


def _errors(row: MatrixRow) -> str:
    errors, first = row.number("errors_surfaced"), row.values["first_error"]
    if not errors:
        return ""
    return f"The application saw up to {errors:.0f} error{'s' if errors > 1 else ''}, the first {first or 'unnamed'}."


def _lost(row: MatrixRow) -> str:
    bad = [f"{number:.0f} {word}" for name, word in LOSSES if (number := row.number(name))]
    acked = row.number("acked")
    if row.lost and row.worst is not Outcome.VIOLATES:
        of = f" of {acked:,.0f} or more" if acked else ""
        bad[0] = f"{row.lost}{of} that were acknowledged lost (with acks=1 a leader acknowledges what no replica has)"
    return f"Records: {', '.join(bad)}." if bad else ""


def _bystander(row: MatrixRow) -> str:
    errors, gap = row.number("bystander_errors"), row.number("bystander_gap_ms_max")
    if errors:
        return f"The healthy partition saw {errors:.0f} error{'s' if errors > 1 else ''}, too."
    if row.conforms is False and row.outcome in WELL and gap:
        return f"But the healthy partition made no progress for {duration(gap)}."
    return ""


PHRASES: tuple[Callable[[MatrixRow], str], ...] = (_fault_met, _trigger, _storm, _recovered, _errors, _lost, _bystander)


def command(cell: Cell) -> str:
    """Return the command that repeats a cell."""
    profile = Profile.parse(cell.profile)
    words = ["run", "--client", str(cell.client), "--role", str(cell.role), "--profile", profile.name]
    words += [word for pair in profile.settings for word in ("--property", pair)]
    words += [word for key, value in profile.own for word in (f"--{key}", value)]
    words += ["--scenario", cell.scenario, "--engine", str(cell.engine), "--broker", cell.broker]
    words += ["--workload", str(cell.workload)] if cell.workload is not Workload.CONTINUOUS else []
    return "python3 run.py probe " + shlex.join(words)
