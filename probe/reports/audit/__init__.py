"""Findings of `probe audit` in formats that other tools read. Pure; `formats` is the one table of them."""
