"""Turns of a conversation: which are replayed, and what is said without a model."""
