"""Scheduling of trials: the pool, cohorts, and how many run at once."""
