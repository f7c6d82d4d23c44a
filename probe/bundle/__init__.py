"""Bundles: a cell as a folder that runs without this project (docs/bundle.md)."""
