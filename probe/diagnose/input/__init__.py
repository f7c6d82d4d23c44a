"""Readers of what a passive observer has: captures of the network and request logs of brokers."""
