"""Verbs about trees of units."""
