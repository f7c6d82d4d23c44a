"""From histories to verdicts: definitions, facts and one table.

Pure; it imports the standard library, `probe.model` and `probe.protocol.names` only. docs/verdicts.md describes this
package for readers.
"""

from probe.verdict.elections import election, typical
from probe.verdict.findings import STALL_MS
from probe.verdict.judgement import Outlook, certain, conforms, judge, outlook
from probe.verdict.margins import near_bounds
from probe.verdict.patience import patience_ms
from probe.verdict.table import RULES, RULES_VERSION, Rule

__all__ = [
    "RULES",
    "RULES_VERSION",
    "STALL_MS",
    "Outlook",
    "Rule",
    "certain",
    "conforms",
    "election",
    "judge",
    "near_bounds",
    "outlook",
    "patience_ms",
    "typical",
]
