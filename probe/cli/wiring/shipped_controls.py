"""Control cells of shipped evidence: the page "Ready for 4.x?" has them where these results have no trial."""

from __future__ import annotations

from collections.abc import Sequence

from probe.cells.aggregate import SettledCell
from probe.cells.origin import SHIPPED
from probe.cli.common_options import MAX_AGE_DAYS, RESULTS
from probe.cli.console.streams import say
from probe.cli.wiring.evidence import open_evidence
from probe.evidence.cell_choice import Wanted
from probe.evidence.schema import EvidenceError
from probe.model import CONTROL
from probe.model.profile import DEFAULT_PROFILE


def shipped_controls() -> Sequence[SettledCell]:
    """Return the settled control cells that ship; none, with a line that says why, if they cannot be read."""
    try:
        with open_evidence([SHIPPED], RESULTS, MAX_AGE_DAYS) as found:
            return tuple(found.find(Wanted(scenario=[CONTROL], profile=[DEFAULT_PROFILE])).values())
    except EvidenceError as error:
        say(f"pages are not filled from evidence that ships: {error}")
        return ()
