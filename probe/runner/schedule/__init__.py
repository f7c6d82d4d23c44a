"""Many trials: the pool, cohorts, and how many of them run at once."""
