"""A cohort: the cells that share one cluster and observe the same fault."""
