"""The files of a bundle: fake brokers with one fault, a small client, the promise, and two commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from probe.bundle.faults import Fault, Network
from probe.bundle.languages import ANY_PYTHON, FAMILIES, TEMPLATES, Parts, Release
from probe.bundle.promises import Promise
from probe.bundle.text_template import filled
from probe.model import Role
from probe.model.counts import counted
from probe.protocol.names import api_name, error_name

README = "README.md"
LINES = 200
"""Most lines of a bundle, empty ones left out."""
CLIENT_LINES = 40
"""Most lines of its client."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A cell of two versions of one library, as a folder that needs nothing of this project."""

    family: str
    title: str
    bad: Release
    good: Release
    role: Role
    scenario: str
    story: str
    """The first line of the scenario's story."""
    fault: Fault
    promise: Promise
    settings: str = ""
    """Settings of the client beyond its defaults, as its template takes them."""
    says: str = ""
    """The known result, in a sentence."""
    link: str = ""

    def files(self) -> dict[str, str]:
        """Return the text of each file by its place in the folder."""
        language, client = FAMILIES[self.family]
        parts = self._parts(self.bad)
        values = language.values(parts)
        templates = {**language.files, language.client: client}
        found = {place: filled((TEMPLATES / name).read_text(), parts.tags, values) for place, name in templates.items()}
        return {README: self._readme(), **found}

    def lines(self) -> int:
        """Return the number of lines of all files, empty ones left out."""
        return sum(1 for text in self.files().values() for line in text.splitlines() if line.strip())

    def command(self, release: Release) -> str:
        """Return the command that tests one of the two versions."""
        language, _ = FAMILIES[self.family]
        return language.command(release)

    def _parts(self, release: Release) -> Parts:
        return Parts(
            release=release,
            role=self.role,
            fault=self.fault,
            promise=self.promise,
            settings=self.settings,
        )

    def _readme(self) -> str:
        language, _ = FAMILIES[self.family]
        copy = language.working_copy.format(package=self.good.package)
        about = f"{self.says} {self.link}".strip()
        return "\n".join(
            (
                f"# {self.title} {self.bad.version}, {self.role}: {self.scenario}",
                *((about, "") if about else ()),
                f"{self.story} {_fault_words(self.fault)}",
                f"- Must: {self.promise.must(self.role)}, for {self.promise.watch_s} s.",
                f"- Must not: {self.promise.must_not(self.role)}.",
                "",
                f"Needs {language.needs}{self._pythons()}; all traffic is on loopback.",
                "```",
                f"{self.command(self.bad)}   # fails",
                f"{self.command(self.good)}   # passes",
                "```",
                f"It says PASS (exit code 0), FAIL or NOTHING SHOWN. Your working copy: {copy}.",
                "",
            )
        )

    def _pythons(self) -> str:
        """Return which older Pythons its commands name, since the releases have wheels for these; empty = none."""
        named = dict.fromkeys(f"python{one.python}" for one in (self.bad, self.good) if one.python != ANY_PYTHON)
        return f", and {' and '.join(named)}, for which these releases have wheels" if named else ""


NETWORK_WORDS: Mapping[Network, str] = {
    Network.CUT: "its connections are closed once",
    Network.HOLD: "it answers nothing, and still accepts connections",
    Network.GONE: "its connections are closed, and new ones are refused",
}


def _fault_words(fault: Fault) -> str:
    who = "coordinates the group" if fault.coordinator else "leads the partition"
    errors: dict[tuple[int, int], list[str]] = {}
    for one in fault.answers:
        errors.setdefault((one.code, one.times), []).append(api_name(one.api))
    parts = []
    for (code, times), names in errors.items():
        often = f" {counted(times, 'time')}" if times else ""
        parts.append(f"it answers {error_name(code)} ({code}) to {', '.join(names)}{often}")
    parts += [NETWORK_WORDS[fault.network]] if fault.network is not Network.NONE else []
    if fault.heals_ms is not None and fault.answers:
        parts.append(f"after {fault.heals_ms / 1000:g} s it serves again")
    if fault.moves_ms is not None:
        parts.append(f"after {fault.moves_ms / 1000:g} s another broker {who}")
    return f"Here a broker {who}; once the client works, {'; '.join(parts)}."
