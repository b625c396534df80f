"""Toryo runs a crew of AI coding agents and merges only what it has verified itself."""

__version__ = "0.1.0"
