"""Fault states, one per file: what the brokers do, which error the client meets, what a good client does."""
