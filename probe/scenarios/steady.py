"""Nothing fails.

What the brokers do: serve. The error a client meets: none. What a good client does: its work, with no error.
Every other cell of the same client, role, profile, engine and release line depends on this one. If it is not clean, no
other result of that client can be trusted, and those cells are `unsupported`, or `broken` where the harness failed.
Source: the control cell that every fault harness needs (open-telemetry/otel-arrow #3563 shows the consequences
without).
Not covered: load; a few operations a second per partition are no benchmark.
"""

from probe.model import CONTROL, Reaction, Role, Symptom, Target
from probe.scenarios.scenario import RoleVariant, Scenario, expect

SCENARIO = Scenario(
    name=CONTROL,
    story=__doc__,
    variants=(
        RoleVariant(
            roles=tuple(Role),
            expectation=expect(Symptom.NONE, Reaction.NOTHING, target=Target.NONE, prompt_ms=3000, watch_ms=5000),
        ),
    ),
)
