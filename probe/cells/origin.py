"""The source of a settled cell. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from probe.model.counts import counted

OWN, SHIPPED = "own", "shipped"
"""Names of evidence: the user's own results, and what the package contains. Any other is a file or a URL."""
WORDS = {OWN: "own results", SHIPPED: "shipped evidence"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The evidence that a settled cell was read from."""

    evidence: str
    """`own`, `shipped`, a file or a URL."""
    measured: str
    """ISO date on which its run started; empty if unknown."""
    days: int
    """Age in days of its run, or of the one that confirmed it."""
    confirmed: str = ""
    """ISO date on which a later run showed the same; empty = none did."""
    is_old: bool = False
    """Whether it is older than `--max-age`; then it proves no longer that a client passes."""

    @property
    def is_own(self) -> bool:
        """Whether the user's own results say so."""
        return self.evidence == OWN

    def __str__(self) -> str:
        age = counted(self.days, "day")
        again = f", confirmed {self.confirmed}" if self.confirmed else ""
        when = f" of {self.measured}{again} ({age} old)" if self.measured else ""
        return f"{WORDS.get(self.evidence, self.evidence)}{when}"
