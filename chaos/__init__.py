"""The crash campaign: every named point, every victim, and what must hold afterwards. docs/howto/chaos.md."""
