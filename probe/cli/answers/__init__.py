"""Answers of commands as text, made of what the wiring found."""
