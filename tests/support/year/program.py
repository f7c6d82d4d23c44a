"""The command as a program of other numbers: `python -m tests.support.year.program RULES CONDITIONS WORDS...`.

RULES is added to the number of the rules, CONDITIONS to that of both engines' conditions. New trials bear these; a
later number of the conditions is a change that concerns every cell. Spark's workers, which judge stored trials again,
have the rules as they are.
"""

from __future__ import annotations

import sys

from probe import verdict
from probe.model import Engine, conditions
from probe.model.conditions import ConditionsChange
from probe.verdict import judgement, table


def renumber(rules: int, later: int) -> None:
    """Give this process other numbers, before the command's modules are imported."""
    number = table.RULES_VERSION + rules
    for module in (table, judgement, verdict):
        vars(module)["RULES_VERSION"] = number
    newest = max(conditions.CURRENT.values())
    further = [
        ConditionsChange(number=newest + step, engine=engine, text="a change of a benchmark")
        for step in range(1, later + 1)
        for engine in Engine
    ]
    changes = (*conditions.CHANGES, *further)
    vars(conditions)["CHANGES"] = changes
    vars(conditions)["CURRENT"] = {engine: conditions.newest(changes, engine) for engine in Engine}


def main() -> None:
    """Run the command."""
    renumber(int(sys.argv[1]), int(sys.argv[2]))
    sys.argv[:3] = ["probe"]
    from probe.cli import main as probe  # noqa: PLC0415  # it reads the numbers

    probe()


if __name__ == "__main__":
    main()
