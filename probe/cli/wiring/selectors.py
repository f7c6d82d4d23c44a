"""The selectors of a command line, from its options."""

from __future__ import annotations

from probe.cli.option_groups import SelectionOptions
from probe.cli.options import parse_election, parse_rack, parse_security
from probe.cli.wiring.run_selection import RunSelection


def selectors_of(options: SelectionOptions) -> RunSelection:
    """Return the selectors that these options give. ProbeError for an own key that cannot be read."""
    return RunSelection(
        clients=options.client or (),
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
