"""Inventories as they are: files, folders and standard input that name Kafka clients.

`formats` is the one table of formats; which packages are clients is in the catalogue. A reader's module, and the
library that it needs, is imported when a file of its format is met.
"""
