"""A cohort: the trials that share one cluster and observe the same fault."""
