"""Which cells run, in which order, in which cohorts, and for how long. Pure."""
