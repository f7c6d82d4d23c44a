"""Brokers by name: a private network of the run, its name server, and the names of each trial's brokers."""
