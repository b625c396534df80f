"""Notices: what a person is told of transitions, by the command that their settings name."""
