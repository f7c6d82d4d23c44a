"""Applications as families: those judged by the wire alone, and those of the JVM that report more."""

from __future__ import annotations
