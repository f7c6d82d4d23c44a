"""Promises that every client driver keeps."""
