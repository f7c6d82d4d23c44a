"""The selectors of a command line, from its options."""

from __future__ import annotations

from collections.abc import Sequence

from probe.cli.option_groups import SelectionOptions
from probe.cli.options import parse_election, parse_rack, parse_security
from probe.cli.wiring.line_releases import newest_release, pasted_client
from probe.cli.wiring.run_selection import RunSelection


def clients_of(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the clients that `--client` selects, for what people paste, too; of a line its newest release."""
    return tuple(newest_release(pasted_client(name)) for name in names or ())


def selectors_of(options: SelectionOptions) -> RunSelection:
    """Return the selectors that these options give. ProbeError for an own key that cannot be read."""
    return RunSelection(
        clients=clients_of(options.client),
        scenarios=options.scenario or (),
        roles=options.role or (),
        profiles=options.profile or (),
        properties=options.property_ or (),
        engine=options.engine,
        brokers=options.broker or (),
        trials=options.trials,
        election=parse_election(options.election),
        security=parse_security(options.security),
        rack=parse_rack(options.rack),
        seed=options.seed,
        shard=options.shard,
        workloads=options.workload or (),
        long_watches=options.long_watches,
        baseline=options.baseline,
    )
