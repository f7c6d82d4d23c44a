"""Trials of cost: one fault, many partitions, many clients."""
