"""Passive diagnosis: captures and request logs of brokers to the clients that are stuck, and to what helps them."""
